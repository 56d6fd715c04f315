# Classes with a list of members, as Ruby's `Struct` and its library `ostruct` make them.

class Struct
  include Enumerable

  def self.new(*names, **options, &block)
    unless equal?(Struct)
      made = allocate
      names += [options] unless options.empty?
      made.send(:initialize, *names, &block)
      return made
    end

    named = names.first.is_a?(String) ? names.shift : nil
    raise ArgumentError, 'wrong number of arguments (given 0, expected 1+)' if names.empty? && named.nil?

    made = Class.new(Struct)
    made.instance_variable_set(:@members, names.map(&:to_sym))
    made.instance_variable_set(:@keyword_init, options[:keyword_init])
    made.attr_accessor(*names)
    const_set(named, made) if named
    made.class_eval(&block) if block
    made
  end

  # The result of the block, or `recursive` if it is already running for these two objects, which then contain themselves.
  def self.guard(one, other, recursive)
    inside = (@inside ||= [])
    return recursive if inside.any? { |a, b| a.equal?(one) && b.equal?(other) }

    inside.push([one, other])
    begin
      yield
    ensure
      inside.pop
    end
  end

  def self.members
    @members || superclass.members
  end

  def self.keyword_init?
    @members ? @keyword_init : superclass.keyword_init?
  end

  def initialize(*values)
    names = members
    if self.class.keyword_init?
      given = values.first || {}
      raise ArgumentError, "wrong number of arguments (given #{values.length}, expected 0)" unless given.is_a?(Hash)

      unknown = given.keys - names
      raise ArgumentError, "unknown keywords: #{unknown.join(', ')}" unless unknown.empty?

      names.each { |name| instance_variable_set("@#{name}", given[name]) }
    else
      raise ArgumentError, 'struct size differs' if values.length > names.length

      names.each_with_index { |name, at| instance_variable_set("@#{name}", values[at]) }
    end
  end

  def members
    self.class.members
  end

  def to_a
    members.map { |name| instance_variable_get("@#{name}") }
  end

  def deconstruct
    to_a
  end

  def values
    to_a
  end

  def to_h(&block)
    pairs = members.zip(to_a)
    block ? pairs.map(&block).to_h : pairs.to_h
  end

  def deconstruct_keys(_keys)
    to_h
  end

  def each(&block)
    to_a.each(&block)
    self
  end

  def each_pair(&block)
    to_h.each(&block)
    self
  end

  def [](name)
    instance_variable_get("@#{member(name)}")
  end

  def []=(name, value)
    instance_variable_set("@#{member(name)}", value)
  end

  def dig(name, *rest)
    found = self[name]
    rest.empty? || found.nil? ? found : found.dig(*rest)
  end

  def ==(other)
    return true if equal?(other)

    other.class == self.class && Struct.guard(self, other, true) { to_a.zip(other.to_a).all? { |a, b| a == b } }
  end

  def eql?(other)
    self == other
  end

  def length
    members.length
  end

  def size
    members.length
  end

  def values_at(*places)
    to_a.values_at(*places)
  end

  def inspect
    name = self.class.name
    name = name.start_with?('#<') ? '' : "#{name} "
    Struct.guard(self, nil, "#<struct #{self.class}:...>") do
      "#<struct #{name}#{to_h.map { |key, value| "#{key}=#{value.inspect}" }.join(', ')}>"
    end
  end

  def to_s
    inspect
  end

  private

  def member(name)
    if name.is_a?(Integer)
      found = members[name]
      raise IndexError, "offset #{name} too large for struct(size:#{length})" if found.nil? && name >= 0
      raise IndexError, "offset #{name} too small for struct(size:#{length})" if found.nil?

      return found
    end
    raise NameError, "no member '#{name}' in struct" unless members.include?(name.to_sym)

    name
  end
end

class OpenStruct
  def initialize(values = nil)
    @table = {}
    (values || {}).each { |key, value| @table[key.to_sym] = value }
  end

  def method_missing(name, *args)
    text = name.to_s
    return @table[text.chomp('=').to_sym] = args.first if text.end_with?('=')

    @table[name]
  end

  def respond_to_missing?(name, _all = false)
    @table.key?(name.to_s.chomp('=').to_sym)
  end

  def respond_to?(name, _all = false)
    @table.key?(name.to_s.chomp('=').to_sym) || super(name)
  end

  def [](name)
    @table[name.to_sym]
  end

  def []=(name, value)
    @table[name.to_sym] = value
  end

  def dig(name, *rest)
    found = @table[name.to_sym]
    rest.empty? || found.nil? ? found : found.dig(*rest)
  end

  def to_h
    @table.dup
  end

  def each_pair(&block)
    @table.each_pair(&block)
    self
  end

  def delete_field(name)
    @table.delete(name.to_sym)
  end

  def ==(other)
    other.is_a?(OpenStruct) && other.to_h == to_h
  end

  def inspect
    "#<OpenStruct#{@table.map { |key, value| " #{key}=#{value.inspect}" }.join(',')}>"
  end

  def to_s
    inspect
  end

  # A template sees the members as methods.
  def __binding
    self
  end
end
