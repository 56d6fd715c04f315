# frozen_string_literal: true

# What a directory of modules declares, with values that its parameters take, one JSON object a line:
#   ruby tests/reference/declarations.rb MODULES [PATH]
# MODULES is read; PATH (directories separated by colons) is where types of other modules are found. A line is
#   {"kind": "class"|"define", "name", "module", "file", "parameters": [{"name", "required", "values": [SOURCE, …]}]}
# The values are Puppet source, the most telling first: made from the parameter's type (the reference itself decides whether
# a value is of the type), where that leaves a choice from its name, and other than its default. A parameter without a value
# that fits has none.
require 'json'
require_relative 'puppet_lib'
require 'puppet'

# Values of types.
class Values
  T = Puppet::Pops::Types
  TEXTS = ['x', 'present', 'running', '/tmp/x', '10.0.0.1', '10.0.0.0/24', 'host.example.com', 'http://127.0.0.1:5000/',
           'https://www.example.com/', '8080', '1.2.3', '0644', 'C:/x', 'a@example.com', '10M', 'puppet:///modules/x/y', 'yes', 'on', 'On', 'true',
           'a:b', '2001:db8::1', '2001:db8::/64', 'daily', 'installed', 'latest', '1:1.1-1', 'd41d8cd98f00b204e9800998ecf8427e', '5s', '1d', '00:00',
           '2020-01-01', '*', '*-*-* 04:00:00', 'x.service', 'x.conf', 'x.timer', 'x-y', 'x::y', '7.5', '12', 'ALL', 'https://x.example.com/x.tar.gz', 'eth0',
           'key=value', '2020-01-01T00:00:00Z', 'aa:bb:cc:dd:ee:ff', 'local0', 'u=rwx', '2.0.0', '50%', 'ssh-rsa', 'YQ==', 'en_US.UTF-8', 'root@localhost', '/bin/bash', '0x1F', 'tcp',
           'd41d8cd98f00b204e9800998ecf8427ed41d8cd98f00b204e9800998ecf8427e', '573AD9FFEDDBD30D8F4E3AB7C0E8F7E1D7F4B8A1', '-5', '+5', ''].freeze
  BY_NAME = [
    [/\Aensure\z|_ensure\z/, %w[present]], [/passw|secret|token\b/, %w[a_secret]], [/(\A|_)mode\z/, %w[0600]], [/(\A|_)(user|owner|group)\z/, %w[root]],
    [/email/, %w[a@example.com]], [/(url|uri|endpoint)(s?)\z/, ['http://127.0.0.1:5000/']], [/port\z/, [8080, '8080']],
    [/(ip|address|addr|bind_host|listen)\z/, %w[10.0.0.1]], [/(host|hosts|hostname|server|servers|domain|fqdn)\z/, %w[host.example.com]],
    [/(path|dir|directory|file|home|root|target|location|folder|cert|key|log|ca)\z/, nil], [/(\A|_)(num|count|size|retries|workers|timeout|interval|limit|days|max|min|number)(_|\z)/, [5, '5']],
    [/content\z/, ["# A text.\nkey = value\n"]], [/source\z/, ['puppet:///modules/x/y']], [/(manage|enable|enabled|use|debug|purge)(_|\z)/, [true]],
    [/(options|config|settings|hash|environment)\z/, [{ 'key' => 'value' }]], [/(array|list|packages|params)\z/, [%w[x]]]
  ].freeze

  def fits?(type, value)
    type.instance?(value)
  rescue StandardError
    false
  end

  def named(name)
    found = BY_NAME.select { |pattern, _| pattern.match?(name) }.flat_map { |_, values| values || ["/tmp/#{name}"] }
    found.uniq
  end

  # Candidates for a parameter, at most `most`, none equal to the default.
  def candidates(name, type, default, most = 4)
    made = if loose?(type) then like(default, named(name) + ['x', 5, true, ['x'], { 'key' => 'value' }])
           else named(name) + from_type(type, name, 0) + (named(name).map { |v| [v] })
           end
    made = made.select { |v| fits?(type, v) }
    found = made.uniq.map { |v| source(v) }.uniq
    (found - [default && source(default[0])]).first(most)
  end

  def loose?(type)
    type = type.resolved_type while type.is_a?(T::PTypeAliasType)
    [T::PAnyType, T::PScalarType, T::PScalarDataType].any? { |c| type.instance_of?(c) } || (type.is_a?(T::POptionalType) && loose?(type.optional_type || T::PAnyType::DEFAULT))
  end

  # Without a type: first what is of the default's kind.
  def like(default, made)
    value = default&.first
    near = case value
           when true, false then [!value]
           when Numeric then [value + 1]
           when Array then [%w[x]]
           when Hash then [{ 'key' => 'value' }]
           when /\A\d+\z/ then [(value.to_i + 1).to_s]
           when String then made.grep(String)
           else []
           end
    near + made
  end

  def from_type(type, name, depth)
    return [] if depth > 8

    case type
    when T::PTypeAliasType then from_type(type.resolved_type, name, depth + 1)
    when T::PSensitiveType then from_type(type.type || T::PStringType::DEFAULT, name, depth + 1).first(2).map { |v| T::PSensitiveType::Sensitive.new(v) }
    when T::POptionalType then type.optional_type ? from_type(type.optional_type, name, depth + 1) : ['x']
    when T::PNotUndefType then type.type ? from_type(type.type, name, depth + 1) : ['x']
    when T::PVariantType then type.types.reject { |t| t.is_a?(T::PUndefType) }.flat_map { |t| from_type(t, name, depth + 1).first(2) }
    when T::PEnumType then type.values.reverse.rotate(1).first(3)
    when T::PPatternType then texts(type, name)
    when T::PStringType then type.value ? [type.value] : texts(type, name)
    when T::PBooleanType then [true, false]
    when T::PIntegerType then integers(type)
    when T::PFloatType then [[1.5, type.from || 1.5].max]
    when T::PNumericType then [5, 1.5]
    when T::PRegexpType then [type.pattern ? Regexp.new(type.pattern.to_s) : /x/]
    when T::PDefaultType then [:default]
    when T::PUndefType then []
    when T::PArrayType then arrays(type, name, depth)
    when T::PTupleType then tuples(type, name, depth)
    when T::PStructType then structs(type, name, depth)
    when T::PHashType then hashes(type, name, depth)
    when T::PCollectionType then [%w[x], { 'key' => 'value' }]
    when T::PTypeType then [type.type || T::PStringType::DEFAULT]
    when T::PResourceType then [T::PResourceType.new('File', '/tmp/x')]
    else ['x', 5, true, %w[x], { 'key' => 'value' }].select { |v| type.instance?(v) }
    end
  end

  def texts(type, name)
    (named(name).grep(String) + TEXTS + ['x' * 8, 'x' * 12, 'x' * 32, 'x' * 64]).select { |t| type.instance?(t) }.first(2)
  end

  def integers(type)
    [8080, 5, type.from, type.to].compact.select { |n| type.instance?(n) }.first(2)
  end

  def arrays(type, name, depth)
    least = [type.size_type&.from || 0, 1].max
    items = from_type(type.element_type || T::PAnyType::DEFAULT, name, depth + 1)
    [items.first(least)].map { |a| a.empty? ? [] : a.cycle.first(least) }.reject(&:empty?) + (type.instance?([]) ? [[]] : [])
  end

  def tuples(type, name, depth)
    items = type.types.map { |t| from_type(t, name, depth + 1).first }
    [items]
  end

  # All members, and only the required ones.
  def structs(type, name, depth)
    members = type.elements.map { |e| [e.name, from_type(e.value_type, e.name, depth + 1).first, e.key_type.is_a?(T::POptionalType)] }
    [members.reject { |m| m[1].nil? }.to_h { |m| m[0, 2] }, members.reject { |m| m[2] }.to_h { |m| m[0, 2] }]
  end

  def hashes(type, name, depth)
    keys = from_type(type.key_type || T::PStringType::DEFAULT, 'key', depth + 1)
    values = from_type(type.value_type || T::PAnyType::DEFAULT, name, depth + 1)
    full = keys.empty? || values.empty? ? [] : [{ keys[0] => values[0] }]
    full + (type.instance?({}) ? [{}] : [])
  end

  def source(value)
    case value
    when nil then 'undef'
    when :default then 'default'
    when true, false, Integer, Float then value.to_s
    when String then "'#{value.gsub(/[\\']/) { |c| "\\#{c}" }}'"
    when Array then "[#{value.map { |v| source(v) }.join(', ')}]"
    when Hash then "{#{value.map { |k, v| "#{source(k)} => #{source(v)}" }.join(', ')}}"
    when Regexp then "/#{value.source}/"
    when T::PSensitiveType::Sensitive then "Sensitive(#{source(value.unwrap)})"
    else value.to_s
    end
  end
end

# Reads definitions with the reference's parser and types with its loaders.
class Declarations
  def initialize(modules, path)
    home = Dir.mktmpdir('declarations')
    at_exit { FileUtils.rm_rf(home) }
    Puppet.initialize_settings(['--confdir', "#{home}/conf", '--vardir', "#{home}/var"])
    @modules = modules
    @environment = Puppet::Node::Environment.create(:production, [modules, *path], Puppet::Node::Environment::NO_MANIFEST)
    @loaders = Puppet::Pops::Loaders.new(@environment)
    @parser = Puppet::Pops::Parser::Parser.new
    @values = Values.new
  end

  def print_all
    Puppet.override(current_environment: @environment, loaders: @loaders) do
      Dir.children(@modules).sort.each do |name|
        Dir[File.join(@modules, name, 'manifests', '**', '*.pp')].sort.each { |file| print_file(name, file) }
      end
    end
  end

  private

  def print_file(name, file)
    program = @parser.parse_file(file)&.model or return
    program.definitions.each do |d|
      kind = case d
             when Puppet::Pops::Model::HostClassDefinition then 'class'
             when Puppet::Pops::Model::ResourceTypeDefinition then 'define'
             end
      next unless kind && d.name.split('::').first == name

      puts JSON.generate(kind: kind, name: d.name, module: name, file: file.delete_prefix("#{@modules}/"), parameters: d.parameters.map { |p| parameter(name, p) })
    end
  rescue Puppet::Error => e
    warn "#{file}: #{e.message}"
  end

  def parameter(mod, param)
    type = param.type_expr ? type_of(mod, param.type_expr) : Puppet::Pops::Types::PAnyType::DEFAULT
    { name: param.name, required: param.value.nil?, values: type ? @values.candidates(param.name, type, literal(param.value)) : [] }
  end

  def type_of(mod, expression)
    loader = @loaders.private_loader_for_module(mod) || @loaders.public_environment_loader
    Puppet::Pops::Types::TypeParser.singleton.interpret_any(expression, loader)
  rescue StandardError
    nil
  end

  # [value] of a literal default, else nothing
  def literal(expression)
    return nil unless expression

    catch(:not_literal) { return [Puppet::Pops::Evaluator::LiteralEvaluator.new.literal(expression)] }
    nil
  end
end

abort 'usage: declarations.rb MODULES [PATH]' if ARGV.empty?
Declarations.new(File.expand_path(ARGV[0]), (ARGV[1] || '').split(':').map { |p| File.expand_path(p) }).print_all
