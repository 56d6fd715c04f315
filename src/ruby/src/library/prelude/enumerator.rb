# What enumerators give one by one, as Ruby's classes Enumerator, Enumerator::Yielder and Enumerator::Lazy do.

class Enumerator::Yielder
  def initialize(&block)
    @block = block
  end

  def <<(value)
    @block.call(value)
    self
  end

  def yield(*values)
    @block.call(*values)
  end

  alias call yield

  def to_proc
    lambda { |*values| @block.call(*values) }
  end
end

# The block that was given to Enumerator.new.
class Enumerator::Generator
  attr_reader :size

  def initialize(size, &block)
    @size = size
    @block = block
  end

  def each(*args, &block)
    @block.call(Enumerator::Yielder.new(&block), *args)
  end

  def inspect
    '#<Enumerator::Generator>'
  end
end

# Enumerator.produce
class Enumerator::Producer
  def initialize(given, block)
    @given = given
    @block = block
  end

  def size
    Float::INFINITY
  end

  def each
    value = @given.empty? ? @block.call : @given.first
    loop do
      yield value
      value = @block.call(value)
    end
    self
  end

  def inspect
    '#<Enumerator::Producer>'
  end
end

# One after the other.
class Enumerator::Chain
  include Enumerable

  def initialize(*parts)
    @parts = parts
  end

  def each(*args, &block)
    return to_enum(:each, *args) unless block

    @parts.each { |part| part.each(*args, &block) }
    self
  end

  def size
    @parts.inject(0) do |sum, part|
      size = part.size
      return size if size.nil? || size == Float::INFINITY

      sum + size
    end
  end

  def +(other)
    Enumerator::Chain.new(self, other)
  end

  def inspect
    "#<Enumerator::Chain: [#{@parts.map(&:inspect).join(', ')}]>"
  end

  alias to_s inspect
end

# Methods of Enumerable that need not see all there is.
module Enumerator::Stream
  class << self
    def first(source, *count)
      if count.empty?
        source.each { |*values| return one(values) }
        return nil
      end
      count = count.first
      raise ArgumentError, 'attempt to take negative size' if count < 0
      return [] if count.zero?

      found = []
      source.each do |*values|
        found << one(values)
        return found if found.size >= count
      end
      found
    end

    def take(source, count)
      first(source, count)
    end

    def find(source, none = nil)
      source.each do |*values|
        value = one(values)
        return value if yield(value)
      end
      none && none.call
    end

    alias detect find

    def find_index(source, *wanted)
      at = 0
      source.each do |*values|
        value = one(values)
        return at if wanted.empty? ? yield(value) : value == wanted.first

        at += 1
      end
      nil
    end

    def take_while(source)
      found = []
      source.each do |*values|
        value = one(values)
        return found unless yield(value)

        found << value
      end
      found
    end

    def include?(source, wanted)
      source.each { |*values| return true if one(values) == wanted }
      false
    end

    alias member? include?

    def each_with_index(source, *args)
      at = -1
      source.each(*args) { |*values| yield(one(values), at += 1) }
      source
    end

    def each_with_object(source, memo)
      source.each { |*values| yield(one(values), memo) }
      memo
    end

    def each_entry(source, *args)
      source.each(*args) { |*values| yield(one(values)) }
      source
    end

    def each_slice(source, count)
      raise ArgumentError, 'invalid slice size' if count < 1

      slice = []
      source.each do |*values|
        slice << one(values)
        next if slice.size < count

        yield(slice)
        slice = []
      end
      yield(slice) unless slice.empty?
      source
    end

    def each_cons(source, count)
      raise ArgumentError, 'invalid size' if count < 1

      last = []
      source.each do |*values|
        last.shift if last.size == count
        last << one(values)
        yield(last.dup) if last.size == count
      end
      source
    end

    def any?(source, *pattern, &block)
      source.each { |*values| return true if holds(one(values), pattern, block) }
      false
    end

    def all?(source, *pattern, &block)
      source.each { |*values| return false unless holds(one(values), pattern, block) }
      true
    end

    def none?(source, *pattern, &block)
      source.each { |*values| return false if holds(one(values), pattern, block) }
      true
    end

    def map(source)
      found = []
      source.each { |*values| found << yield(*values) }
      found
    end

    alias collect map

    def one(values)
      values.size == 1 ? values.first : values
    end

    private

    def holds(value, pattern, block)
      return pattern.first === value unless pattern.empty?

      block ? block.call(value) : value
    end
  end
end

# Enumerable#lazy
class Enumerator::Lazy
  include Enumerable

  def initialize(source, size = nil, shown = nil, &block)
    @source = source
    @size = size
    @shown = shown
    @block = block
  end

  def each(*args, &block)
    return self unless block

    step = @block
    unless step
      @source.each(*args, &block)
      return self
    end
    yielder = Enumerator::Yielder.new(&block)
    @source.each(*args) { |*values| step.call(yielder, *values) }
    self
  end

  def size
    @size
  end

  def inspect
    shown = @source.inspect
    "#<Enumerator::Lazy: #{shown}#{@shown ? ":#{@shown}" : ''}>"
  end

  alias to_s inspect

  def map(&block)
    raise ArgumentError, 'tried to call lazy map without a block' unless block

    step('map') { |yielder, *values| yielder << block.call(*values) }
  end

  alias collect map

  def select(&block)
    raise ArgumentError, 'tried to call lazy select without a block' unless block

    step('select') do |yielder, *values|
      value = Enumerator::Stream.one(values)
      yielder << value if block.call(value)
    end
  end

  alias filter select
  alias find_all select

  def reject(&block)
    raise ArgumentError, 'tried to call lazy reject without a block' unless block

    step('reject') do |yielder, *values|
      value = Enumerator::Stream.one(values)
      yielder << value unless block.call(value)
    end
  end

  def filter_map(&block)
    step('filter_map') do |yielder, *values|
      value = block.call(*values)
      yielder << value if value
    end
  end

  def flat_map(&block)
    step('flat_map') do |yielder, *values|
      value = block.call(*values)
      if value.is_a?(Array) || value.is_a?(Enumerator::Lazy)
        value.each { |part| yielder << part }
      else
        yielder << value
      end
    end
  end

  alias collect_concat flat_map

  def grep(pattern, &block)
    step("grep(#{pattern.inspect})") do |yielder, *values|
      value = Enumerator::Stream.one(values)
      yielder << (block ? block.call(value) : value) if pattern === value
    end
  end

  def grep_v(pattern, &block)
    step("grep_v(#{pattern.inspect})") do |yielder, *values|
      value = Enumerator::Stream.one(values)
      yielder << (block ? block.call(value) : value) unless pattern === value
    end
  end

  def compact
    step('compact') { |yielder, value| yielder << value unless value.nil? }
  end

  def zip(*others)
    lists = nil
    started('zip') do
      at = -1
      lists = others.map { |other| other.is_a?(Array) ? other : other.each_entry }
      lambda do |yielder, *values|
        at += 1
        row = lists.map do |list|
          list.is_a?(Array) ? list[at] : begin list.next; rescue StopIteration; nil; end
        end
        yielder << [Enumerator::Stream.one(values), *row]
      end
    end
  end

  def uniq(&block)
    started('uniq') do
      seen = {}
      lambda do |yielder, *values|
        value = Enumerator::Stream.one(values)
        key = block ? block.call(value) : value
        unless seen.key?(key)
          seen[key] = true
          yielder << value
        end
      end
    end
  end

  def take(count)
    source = self
    limited = Enumerator.new do |yielder|
      left = count
      if left > 0
        source.each do |*values|
          yielder.yield(*values)
          left -= 1
          break if left <= 0
        end
      end
    end
    Enumerator::Lazy::Part.new(limited, self, "take(#{count})")
  end

  def take_while(&block)
    source = self
    limited = Enumerator.new do |yielder|
      source.each do |*values|
        break unless block.call(*values)

        yielder.yield(*values)
      end
    end
    Enumerator::Lazy::Part.new(limited, self, 'take_while')
  end

  def drop(count)
    started("drop(#{count})") do
      left = count
      lambda { |yielder, *values| left > 0 ? left -= 1 : yielder.yield(*values) }
    end
  end

  def drop_while(&block)
    started('drop_while') do
      dropping = true
      lambda do |yielder, *values|
        dropping &&= block.call(*values)
        yielder.yield(*values) unless dropping
      end
    end
  end

  def with_index(offset = 0, &block)
    started('with_index') do
      at = (offset || 0) - 1
      lambda do |yielder, *values|
        value = Enumerator::Stream.one(values)
        at += 1
        if block
          block.call(value, at)
          yielder << value
        else
          yielder << [value, at]
        end
      end
    end
  end

  def each_with_index(&block)
    with_index(0, &block)
  end

  def tap_each(&block)
    step('tap_each') { |yielder, value| block.call(value); yielder << value }
  end

  def lazy
    self
  end

  def force(*args)
    to_a
  end

  def eager
    source = self
    Enumerator.new { |yielder| source.each { |*values| yielder.yield(*values) } }
  end

  def next
    walker.next
  end

  def peek
    walker.peek
  end

  def rewind
    walker.rewind
    self
  end

  private

  def walker
    @walker ||= to_enum(:each)
  end

  def step(shown, &block)
    Enumerator::Lazy.new(self, nil, shown, &block)
  end

  # A step that remembers something, anew for each walk.
  def started(shown)
    source = self
    walk = Enumerator.new do |yielder|
      step = yield
      source.each { |*values| step.call(yielder, *values) }
    end
    Enumerator::Lazy::Part.new(walk, self, shown)
  end
end

# A part of another one that is walked in its own way.
class Enumerator::Lazy::Part < Enumerator::Lazy
  def initialize(walk, source, shown)
    super(walk)
    @whole = source
    @how = shown
  end

  def inspect
    "#<Enumerator::Lazy: #{@whole.inspect}:#{@how}>"
  end

  alias to_s inspect
end
