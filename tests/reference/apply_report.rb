# frozen_string_literal: true

# The parts of apply-report that run in Ruby:
#
#   apply_report.rb agent OPTIONS…   runs the agent once; the catalog is compiled by this process
#   apply_report.rb convert          reads a list of reports from stdin, prints what the terminus of PuppetDB makes of each

require_relative 'puppet_lib'
require 'json'
require 'puppet'
require 'puppet/configurer'

def agent(arguments)
  level = arguments.delete('--verbose') ? :info : :notice
  Puppet.initialize_settings(arguments)
  Puppet.settings.preferred_run_mode = :agent
  Puppet.settings.use(:main, :agent)
  Puppet::Util::Log.level = level
  Puppet::Util::Log.newdestination(:console)
  Puppet::Resource::Catalog.indirection.terminus_class = :compiler
  Puppet::Resource::Catalog.indirection.cache_class = nil
  Puppet::Transaction::Report.indirection.terminus_class = :processor
  Puppet::Transaction::Report.indirection.cache_class = :yaml
  Puppet::Node.indirection.terminus_class = :plain
  environment = Puppet.lookup(:environments).get(Puppet[:environment])
  # The agent knows environments by name alone; here it shares the one of the compiler.
  Puppet::Node::Environment.define_singleton_method(:remote) { |_name| environment }
  Puppet.override(current_environment: environment, loaders: Puppet::Pops::Loaders.new(environment)) do
    Puppet::Configurer.new.run(pluginsync: false)
  end
end

def convert
  Puppet.initialize_settings(['--certname=node.example.com'])
  Puppet[:node_name_value] = 'node.example.com'
  require 'puppet/reports'
  require 'puppet/reports/puppetdb'
  processor = Puppet::Reports.report(:puppetdb)
  reports = JSON.parse($stdin.read).map do |data|
    report = Puppet::Transaction::Report.from_data_hash(data)
    report.extend(processor)
    # PuppetDB gets it when the run ends.
    report.report_to_hash(report.time + report.run_duration)
  end
  puts JSON.generate(reports)
end

case ARGV.shift
when 'agent' then agent(ARGV)
when 'convert' then convert
else abort 'agent or convert'
end
