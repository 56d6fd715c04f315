# Resource types as functions and templates ask about them: which attributes they have. They are read, never run.

class Puppet::Type
  Attribute = Struct.new(:name)
  METAPARAMETERS = %i[noop schedule audit loglevel alias tag require subscribe before notify stage].freeze

  @types = {}

  class << self
    attr_reader :key_attributes, :parameters, :properties

    def type(name)
      name = name.to_s.downcase.to_sym
      @types.key?(name) ? @types[name] : (@types[name] = read(name))
    end

    def metaparams
      METAPARAMETERS
    end

    def metaparam?(name)
      METAPARAMETERS.include?(name.to_sym)
    end

    def name
      @name || super
    end

    def isomorphic?
      @isomorphic
    end

    def allattrs
      key_attributes | (parameters & [:provider]) | validproperties | parameters | metaparams
    end

    def validproperties
      properties.map(&:name)
    end

    def validproperty?(name)
      properties.find { |property| property.name == name.to_sym } || false
    end

    def validparameter?(name)
      parameters.include?(name) || METAPARAMETERS.include?(name)
    end

    def validattr?(name)
      name = name.to_sym
      name == :name || validproperty?(name) != false || validparameter?(name)
    end

    alias valid_parameter? validattr?

    def attrtype(name)
      return :property if validproperties.include?(name)
      return :param if parameters.include?(name)

      :meta if METAPARAMETERS.include?(name)
    end

    def attrclass(name)
      Attribute.new(name) if attrtype(name)
    end

    private

    def read(name)
      properties, parameters, keys, isomorphic = __attributes(name.to_s)
      return nil unless properties

      made = Class.new(Puppet::Type)
      made.instance_variable_set(:@name, name)
      made.instance_variable_set(:@properties, properties.map { |property| Attribute.new(property) })
      made.instance_variable_set(:@parameters, parameters)
      made.instance_variable_set(:@key_attributes, keys)
      made.instance_variable_set(:@isomorphic, isomorphic)
      const_set(name.to_s.split('_').map(&:capitalize).join, made)
    end
  end
end
