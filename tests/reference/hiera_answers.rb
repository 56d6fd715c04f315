# Records Puppet's answers to the lookups of a table of cases: values, errors, warnings, explanations.
#   ruby tests/reference/hiera_answers.rb src/hiera/src/cases.yaml > src/hiera/src/answers.jsonl
# A case has files (below a directory that answers call {{DIR}}: env/ is the environment, global/hiera.yaml the global
# configuration), variables and facts, strict, data_binding (the setting `data_binding_terminus`), and lookups: {key, merge, default, override, default_values, how, explain}.
require 'puppet'
require 'yaml'
require 'json'
require 'tmpdir'
require 'fileutils'

def show(value)
  case value
  when Hash then "{#{value.map { |k, v| "#{show(k)}: #{show(v)}" }.join(', ')}}"
  when Array then "[#{value.map { |v| show(v) }.join(', ')}]"
  when String then JSON.generate(value)
  when Puppet::Pops::Types::PSensitiveType::Sensitive then "Sensitive(#{show(value.unwrap)})"
  else value.inspect
  end
end

def answer(scope, wanted)
  lookup = Puppet::Pops::Lookup
  invocation = lookup::Invocation.new(scope, wanted['override'] || {}, wanted['default_values'] || {}, wanted['explain'] ? true : nil)
  out = {}
  begin
    value =
      case wanted['how']
      when 'automatic'
        found = false
        result = catch(:no_such_key) { r = lookup.search_and_merge(wanted['key'], invocation, nil); found = true; r }
        found ? result : :missing
      when 'hiera', 'hiera_array', 'hiera_hash'
        scope.call_function(wanted['how'], [wanted['key']])
      else
        lookup.lookup(wanted['key'], nil, wanted['default'], wanted.key?('default'), wanted['merge'], invocation)
      end
    out['value'] = value == :missing ? 'missing' : show(value)
  rescue StandardError => e
    kind = e.is_a?(Puppet::DataBinding::LookupError) ? 'lookup' : e.is_a?(Puppet::Error) ? 'puppet' : 'ruby'
    out['error'] = "#{kind}: #{e.to_s}"
  end
  out['explain'] = invocation.explainer.explain if wanted['explain']
  out
end

cases = YAML.safe_load(File.read(ARGV[0]), aliases: true)
base = Dir.mktmpdir
Puppet.initialize_settings(['--confdir', "#{base}/conf", '--vardir', "#{base}/var"])
cases.each_with_index do |wanted, number|
  dir = "#{base}/#{number}"
  FileUtils.mkdir_p("#{dir}/env/modules")
  wanted['files'].each { |path, text| FileUtils.mkdir_p(File.dirname("#{dir}/#{path}")); File.write("#{dir}/#{path}", text.gsub("{{DIR}}", dir)) }
  Puppet[:hiera_config] = "#{dir}/global/hiera.yaml"
  Puppet[:strict] = (wanted['strict'] || 'warning').to_sym
  Puppet[:data_binding_terminus] = wanted['data_binding'] || 'hiera'
  env = Puppet::Node::Environment.create(:env, ["#{dir}/env/modules"])
  loader = Puppet::Environments::Static.new(env)
  loader.define_singleton_method(:get_conf) { |_| Puppet::Settings::EnvironmentConf.new("#{dir}/env", nil, []) }
  answers = []
  warnings = []
  Puppet.define_singleton_method(:warning) { |*a, &b| warnings << (a.first || b.call).to_s }
  Puppet.define_singleton_method(:warn_once) { |_k, _key, message, *_r| warnings << message.to_s }
  Puppet.override(environments: loader, current_environment: env) do
    node = Puppet::Node.new('node.example', facts: Puppet::Node::Facts.new('node.example', wanted['facts'] || {}), environment: env, parameters: wanted['variables'] || {})
    node.add_server_facts({})
    compiler = Puppet::Parser::Compiler.new(node)
    compiler.compile do |catalog|
      wanted['lookups'].each { |one| answers << answer(compiler.topscope, one) }
      catalog
    end
  end
  warnings = warnings.reject { |w| w =~ /Undefined variable|Unknown variable|is deprecated in favor of/ }
  puts JSON.generate('case' => wanted['name'], 'answers' => answers, 'warnings' => warnings).gsub(dir, '{{DIR}}')
end
FileUtils.rm_rf(base)
