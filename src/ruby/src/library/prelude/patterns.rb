# Small libraries for how objects are made up: `forwardable`, `singleton`, `delegate`, `monitor`, `tsort`.

module Forwardable
  def def_instance_delegators(accessor, *methods)
    methods.each do |method|
      next if %w[__send__ __id__].include?(method.to_s)

      def_instance_delegator(accessor, method)
    end
  end

  def def_instance_delegator(accessor, method, own = method)
    accessor = accessor.to_s
    define_method(own) do |*args, &block|
      of = accessor.start_with?('@') ? instance_variable_get(accessor) : instance_eval(accessor)
      of.__send__(method, *args, &block)
    end
    own.to_sym
  end

  def instance_delegate(hash)
    hash.each do |methods, accessor|
      methods = [methods] unless methods.respond_to?(:each)
      methods.each { |method| def_instance_delegator(accessor, method) }
    end
  end

  alias def_delegators def_instance_delegators
  alias def_delegator def_instance_delegator
  alias delegate instance_delegate
end

module Singleton
  module Single
    def instance
      @singleton__instance__ ||= new
    end
  end

  def self.included(base)
    base.extend(Single)
    base.private_class_method :new
  end

  def dup
    raise TypeError, "can't dup instance of singleton #{self.class}"
  end

  def clone(**)
    raise TypeError, "can't clone instance of singleton #{self.class}"
  end
end

class Delegator
  def initialize(object)
    __setobj__(object)
  end

  def method_missing(name, *args, &block)
    of = __getobj__
    return of.public_send(name, *args, &block) if of.respond_to?(name)

    super
  end

  def respond_to_missing?(name, all = false)
    __getobj__.respond_to?(name)
  end

  def ==(other)
    other.equal?(self) || __getobj__ == other
  end

  def !=(other)
    !(self == other)
  end

  def !
    !__getobj__
  end

  def to_s
    __getobj__.to_s
  end

  def inspect
    __getobj__.inspect
  end

  def hash
    __getobj__.hash
  end
end

class SimpleDelegator < Delegator
  def __getobj__
    @delegate_sd_obj
  end

  def __setobj__(object)
    @delegate_sd_obj = object
  end
end

# There is only one thread.
class Mutex
  def synchronize
    raise ThreadError, 'deadlock; recursive locking' if @locked

    @locked = true
    begin
      yield
    ensure
      @locked = false
    end
  end

  def lock
    raise ThreadError, 'deadlock; recursive locking' if @locked

    @locked = true
    self
  end

  def try_lock
    return false if @locked

    @locked = true
  end

  def unlock
    raise ThreadError, 'Attempt to unlock a mutex which is not locked' unless @locked

    @locked = false
    self
  end

  def locked?
    @locked ? true : false
  end

  def owned?
    locked?
  end
end

class Monitor
  def synchronize
    yield
  end

  alias mon_synchronize synchronize

  def enter
    nil
  end

  def exit
    nil
  end

  def try_enter
    true
  end
end

module MonitorMixin
  def synchronize
    yield
  end

  alias mon_synchronize synchronize
end

module TSort
  class Cyclic < StandardError
  end

  def tsort
    strongly_connected_components.map do |component|
      raise Cyclic, "topological sort failed: #{component.inspect}" if component.size > 1

      component.first
    end
  end

  def tsort_each(&block)
    tsort.each(&block)
  end

  def each_strongly_connected_component(&block)
    strongly_connected_components.each(&block)
  end

  # Tarjan's algorithm, without calls as deep as the graph.
  def strongly_connected_components
    numbers = {}
    lows = {}
    open = []
    found = []
    tsort_each_node do |root|
      next if numbers.key?(root)

      walk = [tsort__enter(root, numbers, lows, open)]
      until walk.empty?
        node, children = walk.last
        if children.empty?
          walk.pop
          tsort__leave(node, numbers, lows, open, found)
          above = walk.last && walk.last.first
          lows[above] = [lows[above], lows[node]].min if walk.last && open.include?(node)
        else
          child = children.shift
          if !numbers.key?(child)
            walk << tsort__enter(child, numbers, lows, open)
          elsif open.include?(child)
            lows[node] = [lows[node], numbers[child]].min
          end
        end
      end
    end
    found
  end

  private

  def tsort__enter(node, numbers, lows, open)
    numbers[node] = lows[node] = numbers.size
    open << node
    children = []
    tsort_each_child(node) { |child| children << child }
    [node, children]
  end

  def tsort__leave(node, numbers, lows, open, found)
    return unless lows[node] == numbers[node]

    at = open.index(node)
    found << open.slice!(at..-1)
  end
end
