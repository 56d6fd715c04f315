# What belongs to an object without being a part of it (`Puppet::Pops::Adaptable::Adapter`).

module Puppet::Pops::Adaptable
  class Adapter
    def self.get(object)
      object.instance_variable_get(self_attr_name)
    end

    def self.adapt(object, &block)
      hand_over(get(object) || associate_adapter(create_adapter(object), object), object, block)
    end

    def self.adapt_new(object, &block)
      hand_over(associate_adapter(create_adapter(object), object), object, block)
    end

    def self.clear(object)
      old = get(object)
      object.instance_variable_set(self_attr_name, nil)
      old
    end

    def self.create_adapter(_object)
      new
    end

    def self.associate_adapter(adapter, object)
      object.instance_variable_set(self_attr_name, adapter)
      adapter
    end

    def self.hand_over(adapter, object, block)
      block&.call(*(block.arity == 1 ? [adapter] : [adapter, object]))
      adapter
    end

    def self.instance_var_name(name)
      name.split('::').join('_')
    end

    def self.type_name
      name
    end

    def self.self_attr_name
      :"@#{instance_var_name(type_name)}"
    end
  end

  class ObjectAdapter < Adapter
    def initialize(owner = nil)
      @owner = owner
    end
  end
end
