# Loads resource types with Puppet and prints their schemas, one JSON object a line:
#   ruby tests/reference/types.rb core                  the types that ship with Puppet
#   ruby tests/reference/types.rb /path/modules[:…]     the types of all modules there
# The first output is checked in as src/program/src/resource_types/core.jsonl; compare the second with
#   CATWALK_MODULES=/path/modules CATWALK_TYPES=that-output \
#     cargo test --lib resource_types::tests::reference -- --nocapture
require 'json'
require_relative 'puppet_lib'
require 'puppet'

Puppet.initialize_settings(['--vardir', '/tmp/catwalk-types-var', '--confdir', '/tmp/catwalk-types-conf'])
core = ARGV[0] == 'core'
path = core ? [] : ARGV[0].split(':')
environment = Puppet::Node::Environment.create(:production, path)
loaders = Puppet::Pops::Loaders.new(environment)

def kind(type, name)
  type.attrtype(name).to_s
end

def patterns(type)
  type.title_patterns.map do |regexp, names|
    plain = names.all? { |_, change| change.nil? || change.call('a/b:c ') == 'a/b:c ' }
    [Puppet::Pops::Types::PRegexpType.regexp_to_s(regexp), names.map { |name, _| name.to_s }, plain]
  end
end

def describe(name, file)
  type = Puppet::Type.type(name)
  return { name: name, file: file, error: 'no type' } unless type

  attributes = type.properties.map { |p| [p.name.to_s, 'property'] } + type.parameters.map { |p| [p.to_s, 'param'] }
  { name: type.name.to_s, file: file, attributes: attributes, key: type.key_attributes.map(&:to_s),
    isomorphic: type.isomorphic?, patterns: patterns(type) }
rescue Exception => e
  { name: name, file: file, error: "#{e.class}: #{e.message}" }
end

Puppet.override(current_environment: environment, loaders: loaders) do
  if core
    puts JSON.generate(metaparams: Puppet::Type.metaparams.map(&:to_s))
    dir = File.join(File.dirname($LOADED_FEATURES.grep(%r{/puppet/type\.rb$}).first), 'type')
    Dir[File.join(dir, '*.rb')].sort.each { |file| puts JSON.generate(describe(File.basename(file, '.rb'), nil)) }
  else
    path.each do |dir|
      Dir[File.join(dir, '*', 'lib', 'puppet', 'type', '*.rb')].sort.each do |file|
        puts JSON.generate(describe(File.basename(file, '.rb'), file.delete_prefix("#{dir}/")))
      end
    end
  end
end
