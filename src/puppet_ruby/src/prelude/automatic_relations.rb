# Resource types as far as their automatic relationships need them: attributes with `munge` and `defaultto`, and the blocks of
# `autorequire`, `autobefore`, `autosubscribe` and `autonotify`. Providers, validation and everything else an agent does is left out.

# The constant loads what functions and templates see of types, which this completes.
Puppet::Type.metaparams


class Puppet::Parameter
  class << self
    attr_accessor :attribute_name, :is_property
    attr_reader :choices, :match, :default_block

    # What a definition says that has no effect on values.
    def method_missing(*) end

    def respond_to_missing?(*)
      true
    end

    def munge(&block)
      define_method(:unsafe_munge, &block)
    end

    def unmunge(*) end

    def validate(*) end

    def name
      attribute_name
    end

    def array_matching(match = nil)
      @match = match if match
      @match
    end

    def defaultto(value = nil, &block)
      @default_block = block || proc { value }
    end

    def newvalues(*names)
      @choices = (@choices || []) + names
    end

    def newvalue(name, *)
      newvalues(name)
    end

    def aliasvalue(name, other)
      @aliases ||= {}
      @aliases[name.to_s] = other
    end

    def choice(value)
      known = (@aliases || {})[value.to_s]
      return known if known

      (@choices || []).find { |name| !name.is_a?(Regexp) && name.to_s == value.to_s } || value
    end
  end

  attr_reader :resource, :shouldorig

  def initialize(resource, given)
    @resource = resource
    @given = given
    @shouldorig = given.is_a?(Array) ? given : [given]
  end

  def unsafe_munge(value)
    self.class.choice(value)
  end

  def munge(value)
    unsafe_munge(value)
  end

  def name
    self.class.attribute_name
  end

  def provider; end

  def should
    return value unless self.class.is_property

    values = @shouldorig.map { |one| munge(one) }
    self.class.match == :all ? values : values[0]
  end

  def value
    return should if self.class.is_property

    munge(@given)
  end
end

# Values of attributes that are true or false.
module Puppet::BooleanAttribute
  def unsafe_munge(value)
    case value.to_s.downcase
    when 'true', 'yes' then true
    when 'false', 'no' then false
    else value
    end
  end
end

class Puppet::Parameter::Boolean < Puppet::Parameter
  include Puppet::BooleanAttribute
end

class Puppet::Parameter::Path < Puppet::Parameter
end

class Puppet::Property < Puppet::Parameter
end

class Puppet::Property::Boolean < Puppet::Property
  include Puppet::BooleanAttribute
end

class Puppet::Property::Ensure < Puppet::Property
end

class Puppet::Property::List < Puppet::Property
  def delimiter
    ','
  end

  def should
    @shouldorig.map { |one| munge(one) }.join(delimiter)
  end
end

class Puppet::Property::OrderedList < Puppet::Property::List
end

class Puppet::Property::KeyValue < Puppet::Property
  def should
    @given
  end
end

class Puppet::Type
  RELATIONS = %i[require subscribe before notify].freeze

  class << self
    def method_missing(*) end

    def respond_to_missing?(*)
      true
    end

    def newtype(name, *, &block)
      name = name.to_s.downcase.to_sym
      made = Class.new(Puppet::Type)
      made.instance_variable_set(:@name, name)
      made.instance_variable_set(:@definitions, {})
      made.instance_variable_set(:@relations, [])
      Puppet::Type.__types[name] = made
      made.class_eval(&block)
      made
    end

    def __types
      @types
    end

    def definitions
      @definitions || {}
    end

    def relations
      @relations || []
    end

    def key_attribute
      keys = definitions.values.select { |definition| definition.instance_variable_get(:@is_key) }
      keys.empty? ? :name : keys[0].attribute_name
    end

    def newparam(name, options = {}, &block)
      define_attribute(Puppet::Parameter, name, options, false, &block)
    end

    def newproperty(name, options = {}, &block)
      define_attribute(Puppet::Property, name, options, true, &block)
    end

    def ensurable(&block)
      block ||= proc { newvalues(:present, :absent) }
      define_attribute(Puppet::Property::Ensure, :ensure, {}, true, &block)
    end

    def define_attribute(base, name, options, is_property, &block)
      made = Class.new(options[:parent] || base)
      made.attribute_name = name.to_sym
      made.is_property = is_property
      made.array_matching(options[:array_matching])
      made.define_singleton_method(:isnamevar) { @is_key = true }
      made.isnamevar if options[:namevar]
      made.class_eval(&block) if block
      definitions[name.to_sym] = made
      made
    end

    def autorequire(name, &block)
      @relations << [:require, name, block]
    end

    def autobefore(name, &block)
      @relations << [:before, name, block]
    end

    def autosubscribe(name, &block)
      @relations << [:subscribe, name, block]
    end

    def autonotify(name, &block)
      @relations << [:notify, name, block]
    end
  end

  attr_reader :title, :catalog, :original_parameters

  def initialize(title, parameters, catalog)
    @title = title
    @catalog = catalog
    @original_parameters = parameters
    @parameters = {}
    key = self.class.key_attribute
    definitions = self.class.definitions
    definitions.each do |name, definition|
      given = parameters.key?(name) ? parameters[name] : nil
      given = title if given.nil? && name == key
      @parameters[name] = definition.new(self, given) unless given.nil?
    end
    definitions.each do |name, definition|
      next if @parameters.key?(name) || definition.default_block.nil?

      parameter = definition.new(self, nil)
      given = parameter.instance_eval(&definition.default_block)
      @parameters[name] = definition.new(self, given) unless given.nil?
    end
  end

  def parameters
    @parameters
  end

  def [](name)
    name = name.to_sym
    name = self.class.key_attribute if name == :name && !@parameters.key?(:name)
    return @parameters[name].value if @parameters.key?(name)
    return @title if name == self.class.key_attribute && !@original_parameters.key?(name)

    @original_parameters[name]
  end

  def []=(name, value)
    name = name.to_sym
    definition = self.class.definitions[name]
    @parameters[name] = definition.new(self, value) if definition
    @original_parameters[name] = value
  end

  def value(name)
    self[name]
  end

  def should(name)
    self[name]
  end

  def parameter(name)
    @parameters[name.to_sym]
  end

  def property(name)
    parameter = @parameters[name.to_sym]
    parameter if parameter && parameter.class.is_property
  end

  def name
    self[:name]
  end

  def type
    self.class.name
  end

  def provider; end

  def ref
    "#{self.class.name.to_s.split('::').map(&:capitalize).join('::')}[#{@title}]"
  end

  def to_s
    ref
  end

  # The targets of the blocks: relation, type and title of each.
  def __related
    related = []
    RELATIONS.each do |relation|
      self.class.relations.each do |of, target_type, block|
        next unless of == relation

        list = instance_eval(&block)
        next if list.nil? || list == false

        list = [list] unless list.is_a?(Array)
        list.each do |target|
          next if target.nil?

          if target.is_a?(Puppet::Type)
            related << [relation.to_s, target.class.name.to_s, target.title]
          else
            related << [relation.to_s, target_type.to_s, target.to_s]
          end
        end
      end
    end
    related
  end
end

# The catalog as blocks ask about it.
class Puppet::AutomaticCatalog
  # Each resource: its type, its title, its parameters.
  def initialize(rows)
    @rows = rows
    @made = {}
  end

  def resources
    (0...@rows.size).map { |at| at_index(at) }
  end

  def resource_refs
    resources.map(&:ref)
  end

  def resource(type, title = nil)
    type, title = type.to_s.chomp(']').split('[', 2) if title.nil?
    type = type.to_s.downcase
    title = title.to_s
    title = title.chomp('/') if type == 'file' && title.size > 1
    @index ||= index
    at = @index[[type, title]]
    at && at_index(at)
  end

  def at_index(at)
    @made[at] ||= begin
      type, title, parameters = @rows[at]
      known = Puppet::Type.type(type) || Puppet::Type.newtype(type) {}
      known.new(title, parameters.transform_keys(&:to_sym), self)
    end
  end

  # The targets of the resources of a type: index, relation, type, title. A resource that raises has its message instead.
  def related(type)
    found = []
    @rows.each_with_index do |row, at|
      next unless row[0] == type

      begin
        at_index(at).__related.each { |target| found << [at, *target] }
      rescue StandardError => e
        found << [at, 'failed', type, e.message]
      end
    end
    found
  end

  private

  def index
    found = {}
    @rows.each_with_index do |(type, title, parameters), at|
      [title, parameters['path'], parameters['name'], *[parameters['alias']].flatten].each do |name|
        found[[type, name]] = at if name.is_a?(String) && !found.key?([type, name])
      end
    end
    found
  end
end
