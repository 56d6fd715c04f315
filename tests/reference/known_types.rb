# frozen_string_literal: true

# Prints the named types that Puppet defines (`Pcore::…`, `Puppet::AST::…`, `Puppet::Resource::…`) as lines of JSON:
# [name, type expression]. The output is src/value/src/types/object/pcore_types.jsonl:
#
#   ruby known_types.rb > ../../src/types/object/pcore_types.jsonl
require_relative 'puppet_lib'
require 'puppet'
require 'json'
require 'tmpdir'

# Types that Catwalk defines elsewhere.
OWN = %w[Puppet::LookupKey Puppet::LookupValue Puppet::LookupContext].freeze

# Formats types with aliases replaced by the types they stand for.
class Expanded < Puppet::Pops::Types::TypeFormatter
  def text(type)
    @expanded = true
    type.is_a?(Puppet::Pops::Types::PTypeAliasType) ? string(type.resolved_type) : string(type)
  end
end

Dir.mktmpdir do |dir|
  Puppet.initialize_settings(['--confdir', "#{dir}/conf", '--vardir', "#{dir}/var"])
  env = Puppet::Node::Environment.create(:production, [])
  loaders = Puppet::Pops::Loaders.new(env)
  Puppet.override(loaders: loaders, current_environment: env) do
    Puppet::Pops::Loaders.static_loader.instance_variable_get(:@loaded).each do |name, entry|
      type = entry.value
      # Type sets consist of the types that follow.
      next if name.type != :type || !name.name.include?('::') || type.is_a?(Puppet::Pops::Types::PTypeSetType)
      next if OWN.include?(type.name)

      puts JSON.generate([type.name, Expanded.new.text(type)])
    end
  end
end
