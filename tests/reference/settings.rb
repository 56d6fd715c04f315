# frozen_string_literal: true

# Prints Puppet's settings, one a line, columns separated by tabs:
#   name, kind, default before interpolation (JSON), allowed values (comma-separated)
# --merge 7=FILE 8=FILE 9=FILE merges the output of several versions to src/program/src/environment/setting_definitions.tsv, whose first
# column is the major versions that have the line: such as `8,9`, or `*` for all.
#
#   ruby settings.rb > 7; PUPPET_LIB=DIR8 ruby settings.rb > 8; PUPPET_LIB=DIR9 RUBYOPT=-rset ruby settings.rb > 9
#   ruby settings.rb --merge 7=7 8=8 9=9 > ../../src/program/src/environment/setting_definitions.tsv
if ARGV[0] == '--merge'
  files = ARGV.drop(1).to_h { |argument| argument.split('=', 2) }
  versions = files.keys
  lines = files.transform_values { |file| File.readlines(file, chomp: true) }
  # The order of the newest version; what it does not have stands before the line that follows in the version that has it.
  order = []
  versions.reverse_each do |version|
    queue = []
    lines[version].each do |line|
      if (at = order.index(line))
        order.insert(at, *queue)
        queue = []
      else
        queue << line
      end
    end
    order.concat(queue)
  end
  order.each do |line|
    having = versions.select { |version| lines[version].include?(line) }
    column = having == versions ? '*' : having.join(',')
    puts "#{column}\t#{line}"
  end
  exit
end

require 'json'
require_relative 'puppet_lib'
require 'puppet'
# Defaults that depend on the machine (directories, names, addresses) are computed by the program.
MACHINE = %w[certname srv_domain cadir hiera_config basemodulepath vendormoduledir name].freeze
Puppet.initialize_settings(['--confdir', '/confdir', '--vardir', '/vardir'])
Puppet.settings.each do |name, setting|
  kind = setting.class.name[/::(\w+)Setting\z/, 1].downcase
  default = setting.instance_variable_get(:@default)
  default = default.is_a?(Proc) ? Puppet.instance_exec(&default) : default unless MACHINE.include?(name.to_s)
  default = nil if MACHINE.include?(name.to_s)
  default = default.to_s if default.is_a?(Symbol)
  # The release in the default of http_user_agent.
  default = default.sub(Puppet.version, '%{release}') if default.is_a?(String)
  allowed = setting.respond_to?(:values) ? setting.values.join(',') : ''
  puts [name, kind, JSON.generate(default), allowed].join("\t")
end
