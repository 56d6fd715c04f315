# The methods of RSpec and rspec-puppet that specs call. Evaluating a spec returns its examples as data: for each the class, defined
# type or node to compile, its facts, and the expectations. `catwalk convert rspec` evaluates this file, then the spec.
#
# $systems: the facts of each fact set by its name, as JSON.
# $left_out: why examples and groups are skipped, by line.
# $line: the line of the next example or group; `at`, which the converter inserts before each, sets it.

require 'json'

# Raised for a spec that has no equivalent in test files; the message is the reason.
class CannotConvert < StandardError; end

# `sensitive('secret')`.
class SensitiveValue
  attr_reader :value
  def initialize(value) = @value = value
end

# `ref('File', '/x')`: a reference, or other source code in Puppet's language.
class PuppetCode
  attr_reader :source
  def initialize(source) = @source = source
end

# Converts values to JSON. A value that JSON cannot represent becomes a hash whose first key begins with an underscore.
module JsonValue
  def self.from(value)
    case value
    when nil, true, false, Integer, Float, String then value
    when :undef then { '_undef' => true }
    when :default then { '_code' => 'default' }
    when Symbol then value.to_s
    when Regexp then { '_regexp' => value.source, '_options' => value.options }
    when Array then value.map { |item| JsonValue.from(item) }
    when Hash
      result = {}
      value.each { |key, item| result[key.to_s] = JsonValue.from(item) }
      result
    when SensitiveValue then { '_sensitive' => JsonValue.from(value.value) }
    when PuppetCode then { '_code' => value.source }
    else raise CannotConvert, "a value of the class #{value.class}"
    end
  end

  # A parameter as rspec-puppet declares it: it writes the Ruby source of the value to the manifest, in which `nil` is the string 'nil'.
  def self.as_code(value)
    case value
    when nil then 'nil'
    when Array then value.map { |item| JsonValue.as_code(item) }
    when Hash
      result = {}
      value.each { |key, item| result[key] = JsonValue.as_code(item) }
      result
    when SensitiveValue then SensitiveValue.new(JsonValue.as_code(value.value))
    else value
    end
  end
end

# Facts by name. Specs use symbols and strings as names.
class Facts < Hash
  def self.from(facts)
    result = Facts.new
    facts.each { |name, value| result[name] = value }
    result
  end

  def []=(name, value)
    super(name.to_sym, value)
  end

  def [](name) = super(name.to_sym)
  def fetch(name, *default, &block) = super(name.to_sym, *default, &block)
  def key?(name) = super(name.to_sym)
  def has_key?(name) = key?(name)
  def include?(name) = key?(name)
  def delete(name) = super(name.to_sym)

  def dig(name, *rest)
    value = self[name]
    rest.empty? || value.nil? ? value : value.dig(*rest)
  end

  def merge(*others)
    result = Facts.from(self)
    others.each { |other| other.each { |name, value| result[name] = value } }
    result
  end

  def merge!(*others)
    others.each { |other| other.each { |name, value| self[name] = value } }
    self
  end

  def update(*others) = merge!(*others)

  # `facts.deep_merge(…)`, `override_facts(facts, …)`: merges nested hashes, too; their keys become strings.
  def deep_merge(other)
    result = Facts.from(self)
    other.each { |name, value| result[name] = Facts.merge_values(result[name], value) }
    result
  end

  def self.merge_values(base, override)
    return override unless override.is_a?(Hash)
    result = {}
    base.each { |name, value| result[name.to_s] = value } if base.is_a?(Hash)
    override.each { |name, value| result[name.to_s] = Facts.merge_values(result[name.to_s], value) }
    result
  end
end

# The name of a resource type from the name of a method: `concat__fragment` is `Concat::Fragment`.
module TypeName
  def self.from(name) = name.split('__').map { |part| part.capitalize }.join('::')
end

# `contain_file('/x').with_mode('0644')`: a resource in the catalog, its parameters and its order.
class ResourceMatcher
  # The key of the data that each method adds references to.
  ORDER_KEYS = { that_requires: 'requires', that_comes_before: 'before', that_notifies: 'before', that_subscribes_to: 'requires' }

  def initialize(type, title)
    @data = { 'kind' => 'resource', 'type' => TypeName.from(type), 'title' => title.to_s, 'with' => [], 'without' => [], 'unlike' => [],
              'only' => false, 'requires' => [], 'before' => [] }
  end

  def with(params, *value)
    pairs = params.is_a?(Hash) ? params.to_a : (params.is_a?(Array) ? params.to_a : [[params, value.first]])
    pairs.each { |name, expected| @data['with'] << [name.to_s, JsonValue.from(expected)] }
    self
  end

  def only_with(params, *value)
    @data['only'] = true
    with(params, *value)
  end

  def without(*names)
    names.flatten.each { |name| @data['without'] << name.to_s }
    self
  end

  def add_order(method, references)
    references = references.is_a?(Array) ? references.flatten : [references]
    references.each do |reference|
      source = reference.is_a?(PuppetCode) ? reference.source : reference.to_s
      @data[ORDER_KEYS[method]] << source
    end
    self
  end

  def that_requires(references) = add_order(:that_requires, references)
  def that_comes_before(references) = add_order(:that_comes_before, references)
  def that_notifies(references) = add_order(:that_notifies, references)
  def that_subscribes_to(references) = add_order(:that_subscribes_to, references)

  def method_missing(name, *args)
    name = name.to_s
    if name.start_with?('only_with_')
      only_with(name[10..], args.first)
    elsif name.start_with?('with_')
      with(name[5..], args.first)
    elsif name.start_with?('without_')
      # `without_mode('0644')` allows any other mode.
      args.first.nil? ? without(name[8..]) : (@data['unlike'] << [name[8..], JsonValue.from(args.first)])
      self
    else
      raise CannotConvert, "test files have no equivalent of `#{name}`"
    end
  end

  def respond_to_missing?(_name, _all = false) = true

  def and(other) = CompoundMatcher.new(self, other)

  def data = @data
end

# `have_file_resource_count(2)`, `have_class_count(3)`.
class CountMatcher
  def initialize(type, count)
    type = type == 'resource' ? 'without_classes' : TypeName.from(type)
    @data = { 'kind' => 'count', 'type' => type, 'count' => count.to_i }
  end

  def data = @data
  def and(other) = CompoundMatcher.new(self, other)
end

# `compile`, `compile.with_all_deps`, `compile.and_raise_error(/…/)`.
class CompileMatcher
  def initialize = @data = { 'kind' => 'compiles' }
  def with_all_deps = self
  def and(other) = CompoundMatcher.new(self, other)

  def and_raise_error(error = nil, message = nil)
    @data = ErrorMatcher.new(error, message).data
    self
  end

  def data = @data
end

# `raise_error(Puppet::Error, /…/)`.
class ErrorMatcher
  def initialize(error = nil, message = nil)
    message = error if message.nil? && (error.is_a?(String) || error.is_a?(Regexp))
    @data = { 'kind' => 'fails', 'message' => JsonValue.from(message) }
  end

  def with_message(message)
    @data['message'] = JsonValue.from(message)
    self
  end

  def data = @data
end

# `contain_file('/x').and contain_file('/y')`.
class CompoundMatcher
  attr_reader :matchers
  def initialize(*matchers) = @matchers = matchers
  def and(other) = CompoundMatcher.new(*@matchers, other)
end

# The result of `is_expected`, `expect(catalogue)` and `expect { … }`; `catalogue` itself, too.
class Expectation
  def initialize(example) = @example = example

  def to(matcher = nil, _message = nil)
    raise CannotConvert, 'an expectation without a matcher' if matcher.nil?
    matchers = matcher.is_a?(CompoundMatcher) ? matcher.matchers : [matcher]
    matchers.each { |single| @example.add_expectation(data_of(single), true) }
    self
  end

  def not_to(matcher, _message = nil)
    @example.add_expectation(data_of(matcher), false)
    self
  end

  def data_of(matcher)
    raise CannotConvert, 'a matcher that is not of rspec-puppet' unless matcher.respond_to?(:data) && matcher.data.is_a?(Hash)
    matcher.data
  end

  def to_not(matcher, message = nil) = not_to(matcher, message)
  def should(matcher, message = nil) = to(matcher, message)
  def should_not(matcher, message = nil) = not_to(matcher, message)

  def resource(type, title) = CatalogResource.new(type, title)

  def method_missing(name, *_args)
    raise CannotConvert, "`#{name}` of the catalog itself"
  end

  def respond_to_missing?(_name, _all = false) = true
end

# `catalogue.resource('file', '/x')`: expectations of its parameters become expectations of the resource.
class CatalogResource
  def initialize(type, title)
    @type = type.to_s.downcase.gsub('::', '__')
    @title = title
  end

  def parameters = self
  def to_hash = self
  def [](name) = ParameterValue.new(@type, @title, name.to_s, false)
end

# `catalogue.resource('file', '/x')[:content]`: the value of a parameter, or its lines after `split("\n")`.
class ParameterValue
  def initialize(type, title, name, lines)
    @type = type
    @title = title
    @name = name
    @lines = lines
  end

  def lines? = @lines
  def to_s = self
  def split(_separator = nil) = ParameterValue.new(@type, @title, @name, true)
  def lines = split
  def should(matcher, message = nil) = ValueExpectation.new($example, self).to(matcher, message)
  def should_not(matcher, message = nil) = ValueExpectation.new($example, self).not_to(matcher, message)
  def &(lines) = CommonLines.new(self, lines)

  def method_missing(name, *_args)
    raise CannotConvert, "`#{name}` of a parameter's value"
  end

  def respond_to_missing?(_name, _all = false) = false
  def equal_to(expected) = ResourceMatcher.new(@type, @title).with(@name => expected).data
end

# `value.split("\n") & lines`.
class CommonLines
  attr_reader :value, :lines

  def initialize(value, lines)
    @value = value
    @lines = lines
  end
end

# `match`, `include` and `eq` for the value of a parameter.
class ValueMatcher
  attr_reader :expected

  def initialize(kind, expected)
    @kind = kind
    @expected = expected
  end

  # The strings and regular expressions that the parameter must all match.
  def patterns(value)
    case @kind
    when :match
      raise CannotConvert, '`match` for lines' if value.lines?
      [@expected.first.is_a?(Regexp) ? @expected.first : Regexp.new(@expected.first)]
    when :include
      @expected.map do |part|
        raise CannotConvert, '`include` with a value that is not a string' unless part.is_a?(String)
        value.lines? ? /^#{Regexp.escape(part)}$/ : /#{Regexp.escape(part)}/
      end
    else
      raise CannotConvert, '`eq` for lines' if value.lines?
      @expected
    end
  end
end

# `expect(catalogue.resource('file', '/x')[:content]).to match(…)`
class ValueExpectation
  def initialize(example, value)
    @example = example
    @value = value
  end

  def to(matcher, _message = nil) = add(matcher, true)
  def not_to(matcher, _message = nil) = add(matcher, false)
  def to_not(matcher, _message = nil) = add(matcher, false)

  def add(matcher, wanted)
    raise CannotConvert, "a matcher other than `match`, `include` and `eq` for a parameter's value" unless matcher.is_a?(ValueMatcher)
    matcher.patterns(@value).each { |pattern| @example.add_expectation(@value.equal_to(pattern), wanted) }
    self
  end
end

# `expect(value.split("\n") & lines).to eq(lines)`: the value has all these lines.
class CommonLinesExpectation
  def initialize(example, common)
    @example = example
    @common = common
  end

  def to(matcher, _message = nil)
    has_all = matcher.is_a?(ValueMatcher) && matcher.expected == [@common.lines]
    raise CannotConvert, 'common lines that differ from the given lines' unless has_all
    ValueExpectation.new(@example, @common.value).to(ValueMatcher.new(:include, @common.lines))
  end

  def not_to(_matcher, _message = nil) = raise(CannotConvert, '`not_to` for common lines')
  def to_not(matcher, _message = nil) = not_to(matcher)
end

# Accepts every call: for settings and mocks, which do not affect the converted expectations.
class IgnoredObject
  def method_missing(_name, *_args, &_block) = self
  def respond_to_missing?(_name, _all = false) = true
end

# Each `describe` and `context` creates a subclass, each `it` adds to EXAMPLES; `run` evaluates an example in an instance.
class ExampleGroup
  # Tables by group. `path`: descriptions of the groups around; `subject`, `kind`: what the outermost group describes and its `type:`;
  # `nested`: whether a `describe` is around, so that the next description is not the subject.
  STATE = {}
  SHARED = {}
  EXAMPLES = []
  LETS = {}
  BEFORE = {}

  def self.state = STATE[self] || { path: [], kind: nil, subject: nil, nested: false }

  def self.describe(*args, **options, &block)
    line = $line
    return if block.nil? || $left_out[line.to_s] || filtered?(options)
    outer = state
    first = args.first
    path = outer[:path]
    subject = outer[:subject]
    kind = options[:type] || outer[:kind]
    if outer[:nested]
      path = path + [args.map { |part| part.to_s }.join(' ')]
    elsif first.is_a?(String)
      subject = first.sub(/\A::/, '')
      path = path + args.drop(1).select { |part| part.is_a?(String) }
    end
    group = Class.new(self)
    STATE[group] = { path: path, kind: kind, subject: subject, nested: true }
    group.class_eval(&block)
    group
  end

  # `if: false`, `unless: true`: RSpec leaves the group or example out.
  def self.filtered?(options)
    (options.key?(:if) && !options[:if]) || (options.key?(:unless) && options[:unless])
  end

  def self.context(*args, **options, &block) = describe(*args, **options, &block)
  def self.feature(*args, **options, &block) = describe(*args, **options, &block)
  def self.xdescribe(*_args, **_options) = nil
  def self.xcontext(*_args, **_options) = nil
  def self.fdescribe(*args, **options, &block) = describe(*args, **options, &block)
  def self.fcontext(*args, **options, &block) = describe(*args, **options, &block)

  def self.let(name, &block)
    define_method(name, &block)
    LETS[name] = true
  end

  def self.let!(name, &block) = let(name, &block)

  def self.subject(name = nil, &block)
    let(name || :subject, &block)
  end

  def self.before(*_args, &block) = (BEFORE[self] = (BEFORE[self] || []) + [block])
  def self.after(*_args) = nil
  def self.around(*_args) = nil
  def self.prepend_before(*args, &block) = before(*args, &block)

  def self.it(*args, **options, &block)
    line = $line
    return if filtered?(options)
    description = args.first.is_a?(String) ? args.first : nil
    EXAMPLES << { group: self, line: line, description: description, block: block }
  end

  def self.specify(*args, **options, &block) = it(*args, **options, &block)
  def self.example(*args, **options, &block) = it(*args, **options, &block)
  def self.fit(*args, **options, &block) = it(*args, **options, &block)
  def self.its(*args, **_options) = it(*args)
  def self.xit(*args, **_options) = it(*args)
  def self.pending(*args, **_options) = it(*args)
  def self.skip(*args, **_options) = it(*args)

  def self.shared_examples(name, *_args, &block) = (SHARED[name] = block)
  def self.shared_examples_for(name, *_args, &block) = (SHARED[name] = block)
  def self.shared_context(name, *_args, &block) = (SHARED[name] = block)

  def self.include_examples(name, *args, &block)
    body = SHARED[name]
    return it("includes #{name}") if body.nil?
    class_exec(*args, &body)
    class_eval(&block) if block
  end

  def self.include_context(name, *args, &block) = include_examples(name, *args, &block)

  def self.it_behaves_like(name, *args, &block)
    body = SHARED[name]
    return it("behaves like #{name}") if body.nil?
    outer = state
    group = Class.new(self)
    STATE[group] = outer.merge(path: outer[:path] + [name.to_s])
    group.class_eval(&block) if block
    group.class_exec(*args, &body)
  end

  def self.it_should_behave_like(name, *args, &block) = it_behaves_like(name, *args, &block)

  def self.on_supported_os(options = {}) = Systems.facts(options)
  def self.override_facts(facts, **more) = Facts.from(facts).deep_merge(more)
  def self.add_custom_fact(name, value, **_options) = Systems.custom(name, value)
  def self.require(*_args) = true
  def self.require_relative(*_args) = true
  def self.at(line) = ($line = line)

  def self.method_missing(name, *args, &block)
    return new.send(name, *args, &block) if method_defined?(name) && !LETS[name]
    raise NameError, "no method #{name} for groups of examples"
  end

  def self.respond_to_missing?(name, _all = false) = method_defined?(name)

  # Runs the block of an example and returns its expectations.
  def run(example)
    @expectations = []
    @memory = {}
    instance = self
    $example = self
    LETS.each_key do |name|
      next unless respond_to?(name)
      define_singleton_method(name) do
        memory = instance.memory
        memory[name] = super() unless memory.key?(name)
        memory[name]
      end
    end
    self.class.ancestors.reverse.each do |group|
      (BEFORE[group] || []).each do |block|
        begin
          instance_exec(&block)
        rescue StandardError
          # Most `before` blocks prepare mocks, which do not affect the catalog.
          nil
        end
      end
    end
    raise CannotConvert, 'a pending example' if example[:block].nil?
    instance_exec(&example[:block])
    raise CannotConvert, 'no expectation of the catalog' if @expectations.empty?
    @expectations
  end

  def memory = @memory

  # Adds an expectation. `wanted`: false for `not_to`.
  def add_expectation(data, wanted)
    @expectations << data.merge('wanted' => wanted)
  end

  def is_expected = Expectation.new(self)
  def should(matcher, _message = nil) = is_expected.to(matcher)
  def should_not(matcher, _message = nil) = is_expected.not_to(matcher)
  def catalogue = is_expected
  def subject = is_expected

  def expect(target = nil, &block)
    # `expect { is_expected.to compile }.to raise_error(…)`: the error alone describes the catalog.
    return Expectation.new(self) if block
    return ValueExpectation.new(self, target) if target.is_a?(ParameterValue)
    return CommonLinesExpectation.new(self, target) if target.is_a?(CommonLines)
    raise CannotConvert, 'an expectation that is not about the catalog' unless target.is_a?(Expectation)
    target
  end

  def match(expected) = ValueMatcher.new(:match, [expected])
  def include(*expected) = ValueMatcher.new(:include, expected)
  def eq(expected) = ValueMatcher.new(:eq, [expected])

  # Methods of puppetlabs_spec_helper, and those that older specs define for themselves.
  def param_value(_catalogue, type, title, name) = CatalogResource.new(type, title)[name]

  def verify_contents(_catalogue, title, lines)
    expect(CatalogResource.new('file', title)[:content].split).to include(*lines)
  end

  def verify_concat_fragment_contents(_catalogue, title, lines)
    expect(CatalogResource.new('concat::fragment', title)[:content].split).to include(*lines)
  end

  def compile = CompileMatcher.new
  def raise_error(error = nil, message = nil) = ErrorMatcher.new(error, message)
  def have_class_count(count) = CountMatcher.new('class', count)
  def have_resource_count(count) = CountMatcher.new('resource', count)
  def include_class(name) = ResourceMatcher.new('class', name)
  def sensitive(value) = SensitiveValue.new(value)
  def ref(type, title) = PuppetCode.new("#{type}['#{title}']")
  def on_supported_os(options = {}) = Systems.facts(options)
  def override_facts(facts, **more) = Facts.from(facts).deep_merge(more)
  def skip(*_args) = raise(CannotConvert, 'a pending example')
  def pending(*_args) = raise(CannotConvert, 'a pending example')
  def allow(*_args) = IgnoredObject.new
  def receive(*_args) = IgnoredObject.new
  def require(*_args) = true

  def method_missing(name, *args)
    name = name.to_s
    if name.start_with?('contain_') || name.start_with?('create_')
      ResourceMatcher.new(name.sub(/\A(contain|create)_/, ''), args.first)
    elsif name =~ /\Ahave_(.+)_resource_count\z/
      CountMatcher.new($1, args.first)
    else
      raise CannotConvert, "test files have no equivalent of `#{name}`"
    end
  end

  def respond_to_missing?(name, _all = false)
    name.to_s.start_with?('contain_') || name.to_s.start_with?('create_')
  end
end

# The facts of the operating systems that `on_supported_os` returns, and the facts that `add_custom_fact` adds to each.
module Systems
  CUSTOM = {}

  def self.custom(name, value) = (CUSTOM[name.to_sym] = value)

  # The facts of a system with custom facts. The key `_set` is the name of its fact set.
  def self.with_custom(name, facts)
    result = Facts.from(facts)
    result[:_set] = name
    CUSTOM.each do |fact, value|
      result[fact] = value.is_a?(Proc) ? value.call(name, result) : value
    end
    result
  end

  def self.facts(options)
    supported = options[:supported_os]
    result = {}
    JSON.parse($systems).each do |name, facts|
      result[name] = with_custom(name, facts) if supported.nil? || supported.any? { |system| matches?(system, facts) }
    end
    result
  end

  def self.matches?(system, facts)
    name = system['operatingsystem'] || system[:operatingsystem]
    releases = system['operatingsystemrelease'] || system[:operatingsystemrelease]
    return false unless facts['os']['name'].downcase == name.to_s.downcase
    releases = [releases].flatten.compact
    releases.empty? || releases.any? { |release| facts['os']['release']['full'].start_with?(release.to_s) }
  end
end

module RSpec
  def self.describe(*args, **options, &block) = ExampleGroup.describe(*args, **options, &block)
  def self.shared_examples(name, *args, &block) = ExampleGroup.shared_examples(name, *args, &block)
  def self.shared_context(name, *args, &block) = ExampleGroup.shared_examples(name, *args, &block)
  def self.configure = nil
  def self.configuration = IgnoredObject.new
end

# Runs examples and returns a hash for each.
module Examples
  # The `let` definitions that describe the node and the code to compile.
  LETS = ['params', 'title', 'node', 'facts', 'trusted_facts', 'node_params', 'pre_condition', 'post_condition',
          'hiera_config', 'hiera_data', 'environment']

  # Runs at most `count` examples, beginning with the example `from`.
  def self.run(from, count)
    results = []
    (ExampleGroup::EXAMPLES[from, count] || []).each_with_index do |example, index|
      state = example[:group].state
      data = { 'index' => index, 'line' => example[:line], 'path' => state[:path], 'description' => example[:description],
               'subject' => state[:subject], 'kind' => state[:kind].to_s }
      if $left_out[example[:line].to_s]
        results << data.merge('reason' => $left_out[example[:line].to_s])
        next
      end
      Puppet.notice("example at #{example[:line]}")
      begin
        instance = example[:group].new
        data['expect'] = instance.run(example)
        LETS.each do |name|
          next unless instance.class.method_defined?(name)
          value = instance.send(name)
          data[name] = JsonValue.from(name == 'params' ? JsonValue.as_code(value) : value)
        end
      rescue StandardError, NotImplementedError => e
        data['reason'] = e.is_a?(CannotConvert) ? e.message : "#{e.class}: #{e.message}"
      end
      results << data
    end
    Puppet.notice('examples end')
    { 'total' => ExampleGroup::EXAMPLES.length, 'examples' => results }
  end
end
