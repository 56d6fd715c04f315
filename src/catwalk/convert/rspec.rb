# What rspec-puppet's specs call, so that an evaluation of a spec yields its examples as data: for each what is compiled, with
# which facts, and what is expected. `catwalk convert rspec` evaluates this file, then the spec.
#
# $systems: facts by name of a fact set, as JSON; $left_out: why examples and groups at some lines are not evaluated, by line.

require 'json'

# What a test file cannot say.
class CannotConvert < StandardError; end

class SensitiveValue
  attr_reader :value
  def initialize(value) = @value = value
end

class PuppetCode
  attr_reader :text
  def initialize(text) = @text = text
end

# A value as JSON: what JSON has no form for is a hash with one key that begins with an underscore.
module Plain
  def self.value(value)
    case value
    when nil, true, false, Integer, Float, String then value
    when :undef then { '_undef' => true }
    when :default then { '_code' => 'default' }
    when Symbol then value.to_s
    when Regexp then { '_regexp' => value.source, '_options' => value.options }
    when Array then value.map { |item| Plain.value(item) }
    when Hash
      result = {}
      value.each { |key, item| result[key.to_s] = Plain.value(item) }
      result
    when SensitiveValue then { '_sensitive' => Plain.value(value.value) }
    when PuppetCode then { '_code' => value.text }
    else raise CannotConvert, "a value of the class #{value.class}"
    end
  end
end

# Facts: a key may be a symbol or a string.
class Facts < Hash
  def self.of(facts)
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
    result = Facts.of(self)
    others.each { |other| other.each { |name, value| result[name] = value } }
    result
  end

  def merge!(*others)
    others.each { |other| other.each { |name, value| self[name] = value } }
    self
  end

  def update(*others) = merge!(*others)

  # `facts.deep_merge(…)`, `override_facts(facts, …)`: hashes below are merged, with strings as keys.
  def deep_merge(other)
    result = Facts.of(self)
    other.each { |name, value| result[name] = Facts.deep(result[name], value) }
    result
  end

  def self.deep(before, after)
    return after unless after.is_a?(Hash)
    result = {}
    before.each { |name, value| result[name.to_s] = value } if before.is_a?(Hash)
    after.each { |name, value| result[name.to_s] = Facts.deep(result[name.to_s], value) }
    result
  end
end

# What is expected of a catalog: `contain_file('/x').with_mode('0644')`.
class ResourceMatcher
  ORDERS = { that_requires: 'requires', that_comes_before: 'before', that_notifies: 'before', that_subscribes_to: 'requires' }

  def initialize(type, title)
    parts = type.split('__').map { |part| part.capitalize }
    @data = { 'kind' => 'resource', 'type' => parts.join('::'), 'title' => title.to_s, 'with' => [], 'without' => [], 'unlike' => [],
              'only' => false, 'requires' => [], 'before' => [] }
  end

  def with(params, *value)
    pairs = params.is_a?(Hash) ? params.to_a : (params.is_a?(Array) ? params.to_a : [[params, value.first]])
    pairs.each { |name, wanted| @data['with'] << [name.to_s, Plain.value(wanted)] }
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

  def related(name, references)
    wanted = references.is_a?(Array) ? references.flatten : [references]
    wanted.each do |reference|
      text = reference.is_a?(PuppetCode) ? reference.text : reference.to_s
      @data[ORDERS[name]] << text
    end
    self
  end

  def that_requires(references) = related(:that_requires, references)
  def that_comes_before(references) = related(:that_comes_before, references)
  def that_notifies(references) = related(:that_notifies, references)
  def that_subscribes_to(references) = related(:that_subscribes_to, references)

  def method_missing(name, *args)
    text = name.to_s
    if text.start_with?('only_with_')
      only_with(text[10..], args.first)
    elsif text.start_with?('with_')
      with(text[5..], args.first)
    elsif text.start_with?('without_')
      # With a value: the parameter must not be like it.
      args.first.nil? ? without(text[8..]) : (@data['unlike'] << [text[8..], Plain.value(args.first)])
      self
    else
      raise CannotConvert, "no expectation for #{text}"
    end
  end

  def respond_to_missing?(_name, _all = false) = true

  # `a.and b` of RSpec.
  def and(other) = Both.new(self, other)

  def data = @data
end

class CountMatcher
  def initialize(type, count)
    name = type.split('__').map { |part| part.capitalize }.join('::')
    @data = { 'kind' => 'count', 'type' => type == 'resource' ? 'without_classes' : name, 'count' => count.to_i }
  end

  def data = @data
  def and(other) = Both.new(self, other)
end

class CompileMatcher
  def initialize = @data = { 'kind' => 'compiles' }
  def with_all_deps = self
  def and(other) = Both.new(self, other)

  def and_raise_error(error = nil, message = nil)
    @data = ErrorMatcher.new(error, message).data
    self
  end

  def data = @data
end

class ErrorMatcher
  def initialize(error = nil, message = nil)
    message = error if message.nil? && (error.is_a?(String) || error.is_a?(Regexp))
    @data = { 'kind' => 'fails', 'message' => Plain.value(message) }
  end

  def with_message(message)
    @data['message'] = Plain.value(message)
    self
  end

  def data = @data
end

class Both
  def initialize(*all) = @all = all
  def and(other) = Both.new(*@all, other)
  def all = @all
end

# `expect(…)`, `is_expected`
class Expectation
  def initialize(example, block = nil)
    @example = example
    @block = block
  end

  def to(matcher = nil, _message = nil)
    raise CannotConvert, 'an expectation without a matcher' if matcher.nil?
    all = matcher.is_a?(Both) ? matcher.all : [matcher]
    all.each do |one|
      raise CannotConvert, 'a matcher that is not of rspec-puppet' unless one.respond_to?(:data) && one.data.is_a?(Hash)
      if @block && one.data['kind'] == 'fails'
        @example.expect_failure(one.data, @block)
      else
        @example.expect_data(one.data, true)
      end
    end
    self
  end

  def not_to(matcher, _message = nil)
    raise CannotConvert, 'a matcher that is not of rspec-puppet' unless matcher.respond_to?(:data) && matcher.data.is_a?(Hash)
    @example.expect_data(matcher.data, false)
    self
  end

  def to_not(matcher, message = nil) = not_to(matcher, message)
  def should(matcher, message = nil) = to(matcher, message)
  def should_not(matcher, message = nil) = not_to(matcher, message)

  def resource(type, title) = ResourceText.new(type, title)

  def method_missing(name, *_args)
    raise CannotConvert, "`#{name}` of the catalog itself"
  end

  def respond_to_missing?(_name, _all = false) = true
end

# `catalogue.resource('file', '/x')`: its parameters stand for their text.
class ResourceText
  def initialize(type, title)
    @type = type.to_s.downcase.gsub('::', '__')
    @title = title
  end

  def parameters = self
  def to_hash = self
  def [](name) = ParameterText.new(@type, @title, name.to_s, false)
end

# The text of a parameter, or its lines.
class ParameterText
  def initialize(type, title, name, lines)
    @type = type
    @title = title
    @name = name
    @lines = lines
  end

  def lines? = @lines
  def to_s = self
  def split(_separator = nil) = ParameterText.new(@type, @title, @name, true)
  def lines = split
  def should(matcher, message = nil) = TextExpectation.new($example, self).to(matcher, message)
  def should_not(matcher, message = nil) = TextExpectation.new($example, self).not_to(matcher, message)
  def &(lines) = CommonLines.new(self, lines)

  def method_missing(name, *_args)
    raise CannotConvert, "`#{name}` of a parameter's text"
  end

  def respond_to_missing?(_name, _all = false) = false
  def like(wanted) = ResourceMatcher.new(@type, @title).with(@name => wanted).data
end

# `text.split("\n") & lines`: equal to the lines where the text has them all.
class CommonLines
  def initialize(text, lines)
    @text = text
    @wanted = lines
  end

  attr_reader :text, :wanted
end

# `match`, `include` and `eq` for the text of a parameter.
class TextMatcher
  def initialize(kind, wanted)
    @kind = kind
    @wanted = wanted
  end

  def wanted = @wanted

  # The values that the parameter must be like, one after the other.
  def values(text)
    case @kind
    when :match
      raise CannotConvert, 'lines that match' if text.lines?
      [@wanted.first.is_a?(Regexp) ? @wanted.first : Regexp.new(@wanted.first)]
    when :include
      @wanted.map do |part|
        raise CannotConvert, 'text that includes something else than strings' unless part.is_a?(String)
        text.lines? ? /^#{Regexp.escape(part)}$/ : /#{Regexp.escape(part)}/
      end
    else
      raise CannotConvert, 'equal lines' if text.lines?
      @wanted
    end
  end
end

# `expect(catalogue.resource('file', '/x')[:content]).to match(…)`
class TextExpectation
  def initialize(example, text)
    @example = example
    @text = text
  end

  def to(matcher, _message = nil) = add(matcher, true)
  def not_to(matcher, _message = nil) = add(matcher, false)
  def to_not(matcher, _message = nil) = add(matcher, false)

  def add(matcher, wanted)
    raise CannotConvert, 'a matcher that has no meaning for text' unless matcher.is_a?(TextMatcher)
    matcher.values(@text).each { |value| @example.expect_data(@text.like(value), wanted) }
    self
  end
end

# `expect(text.split("\n") & lines).to eq(lines)`
class CommonExpectation
  def initialize(example, common)
    @example = example
    @common = common
  end

  def to(matcher, _message = nil)
    known = matcher.is_a?(TextMatcher) && matcher.wanted == [@common.wanted]
    raise CannotConvert, 'common lines that are not those wanted' unless known
    TextExpectation.new(@example, @common.text).to(TextMatcher.new(:include, @common.wanted))
  end

  def not_to(_matcher, _message = nil) = raise(CannotConvert, 'lines that are not all there')
  def to_not(matcher, _message = nil) = not_to(matcher)
end

# Anything of RSpec that has no meaning here.
class Ignored
  def method_missing(_name, *_args, &_block) = self
  def respond_to_missing?(_name, _all = false) = true
end

class ExampleGroup
  # What is known of groups is in tables: a class is the key.
  STATE = {}
  SHARED = {}
  EXAMPLES = []
  LETS = {}
  BEFORE = {}

  def self.state = STATE[self] || { path: [], kind: nil, subject: nil, given: false }

  def self.describe(*args, **options, &block)
    line = $line
    return if block.nil? || $left_out[line.to_s] || filtered?(options)
    before = state
    first = args.first
    path = before[:path]
    subject = before[:subject]
    kind = options[:type] || before[:kind]
    if before[:given]
      path = path + [args.map { |part| part.to_s }.join(' ')]
    elsif first.is_a?(String)
      subject = first.sub(/\A::/, '')
      path = path + args.drop(1).select { |part| part.is_a?(String) }
    end
    group = Class.new(self)
    STATE[group] = { path: path, kind: kind, subject: subject, given: true }
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
    before = state
    group = Class.new(self)
    STATE[group] = before.merge(path: before[:path] + [name.to_s])
    group.class_eval(&block) if block
    group.class_exec(*args, &body)
  end

  def self.it_should_behave_like(name, *args, &block) = it_behaves_like(name, *args, &block)

  def self.on_supported_os(options = {}) = Systems.facts(options)
  def self.override_facts(facts, **more) = Facts.of(facts).deep_merge(more)
  def self.add_custom_fact(name, value, **_options) = Systems.custom(name, value)
  def self.require(*_args) = true
  def self.require_relative(*_args) = true
  def self.at(line) = ($line = line)

  def self.method_missing(name, *args, &block)
    return new.send(name, *args, &block) if method_defined?(name) && !LETS[name]
    raise NameError, "no method #{name} for groups of examples"
  end

  def self.respond_to_missing?(name, _all = false) = method_defined?(name)

  # One example: runs its block and collects what it expects.
  def run(example)
    @collected = []
    @memory = {}
    here = self
    $example = self
    LETS.each_key do |name|
      next unless respond_to?(name)
      define_singleton_method(name) do
        memory = here.memory
        memory[name] = super() unless memory.key?(name)
        memory[name]
      end
    end
    self.class.ancestors.reverse.each do |group|
      (BEFORE[group] || []).each do |block|
        begin
          instance_exec(&block)
        rescue StandardError
          nil
        end
      end
    end
    raise CannotConvert, 'a pending example' if example[:block].nil?
    instance_exec(&example[:block])
    raise CannotConvert, 'it expects nothing of a catalog' if @collected.empty?
    @collected
  end

  def memory = @memory

  def expect_data(data, wanted)
    @collected << data.merge('wanted' => wanted)
  end

  # `expect { is_expected.to compile }.to raise_error(…)`
  def expect_failure(data, _block)
    @collected << data.merge('wanted' => true)
  end

  def is_expected = Expectation.new(self)
  def should(matcher, _message = nil) = is_expected.to(matcher)
  def should_not(matcher, _message = nil) = is_expected.not_to(matcher)
  def catalogue = is_expected
  def subject = is_expected

  def expect(target = nil, &block)
    return Expectation.new(self, block) if block
    return TextExpectation.new(self, target) if target.is_a?(ParameterText)
    return CommonExpectation.new(self, target) if target.is_a?(CommonLines)
    raise CannotConvert, 'an expectation of something else than the catalog' unless target.is_a?(Expectation)
    target
  end

  def match(wanted) = TextMatcher.new(:match, [wanted])
  def include(*wanted) = TextMatcher.new(:include, wanted)
  def eq(wanted) = TextMatcher.new(:eq, [wanted])

  # Helpers of puppetlabs_spec_helper and its users.
  def param_value(_catalogue, type, title, name) = ResourceText.new(type, title)[name]

  def verify_contents(_catalogue, title, lines)
    expect(ResourceText.new('file', title)[:content].split).to include(*lines)
  end

  def verify_concat_fragment_contents(_catalogue, title, lines)
    expect(ResourceText.new('concat::fragment', title)[:content].split).to include(*lines)
  end

  def compile = CompileMatcher.new
  def raise_error(error = nil, message = nil) = ErrorMatcher.new(error, message)
  def have_class_count(count) = CountMatcher.new('class', count)
  def have_resource_count(count) = CountMatcher.new('resource', count)
  def include_class(name) = ResourceMatcher.new('class', name)
  def sensitive(value) = SensitiveValue.new(value)
  def ref(type, title) = PuppetCode.new("#{type}['#{title}']")
  def on_supported_os(options = {}) = Systems.facts(options)
  def override_facts(facts, **more) = Facts.of(facts).deep_merge(more)
  def skip(*_args) = raise(CannotConvert, 'a pending example')
  def pending(*_args) = raise(CannotConvert, 'a pending example')
  def allow(*_args) = Ignored.new
  def receive(*_args) = Ignored.new
  def require(*_args) = true

  def method_missing(name, *args)
    text = name.to_s
    if text.start_with?('contain_') || text.start_with?('create_')
      ResourceMatcher.new(text.sub(/\A(contain|create)_/, ''), args.first)
    elsif text =~ /\Ahave_(.+)_resource_count\z/
      CountMatcher.new($1, args.first)
    else
      raise CannotConvert, "nothing in test files is like `#{text}`"
    end
  end

  def respond_to_missing?(name, _all = false)
    name.to_s.start_with?('contain_') || name.to_s.start_with?('create_')
  end
end

# Facts of the operating systems.
module Systems
  CUSTOM = {}

  def self.custom(name, value) = (CUSTOM[name.to_sym] = value)

  # The facts of one system; what names the set is carried along in a key.
  def self.one(name, facts)
    result = Facts.of(facts)
    result[:_set] = name
    CUSTOM.each do |fact, value|
      result[fact] = value.is_a?(Proc) ? value.call(name, result) : value
    end
    result
  end

  def self.facts(options)
    wanted = options[:supported_os]
    found = {}
    JSON.parse($systems).each do |name, facts|
      found[name] = one(name, facts) if wanted.nil? || wanted.any? { |system| fits?(system, facts) }
    end
    found
  end

  def self.fits?(system, facts)
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
  def self.configuration = Ignored.new
end

# Runs all examples; an array of hashes.
module Run
  def self.all
    results = []
    ExampleGroup::EXAMPLES.each_with_index do |example, index|
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
        expected = instance.run(example)
        data['expect'] = expected
        given = ['params', 'title', 'node', 'facts', 'trusted_facts', 'node_params', 'pre_condition', 'post_condition',
                 'hiera_config', 'hiera_data', 'environment']
        given.each { |name| data[name] = Plain.value(instance.send(name)) if instance.class.method_defined?(name) }
      rescue StandardError, NotImplementedError => e
        data['reason'] = e.is_a?(CannotConvert) ? e.message : "#{e.class}: #{e.message}"
      end
      results << data
    end
    Puppet.notice('examples end')
    results
  end
end
