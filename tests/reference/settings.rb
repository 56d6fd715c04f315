# frozen_string_literal: true

# Prints Puppet's settings, one a line, columns separated by tabs:
#   name, kind, default before interpolation (JSON), allowed values (comma-separated)
# --merge FILE7 FILE8 merges the output of Puppet 7 (installed) and Puppet 8 (PUPPET_LIB) to
# src/program/src/environment/setting_definitions.tsv, whose first column is the version that has the line: 7, 8 or * for both.
#
#   ruby settings.rb > 7; PUPPET_LIB=DIR ruby settings.rb > 8; ruby settings.rb --merge 7 8 > ../../src/program/src/environment/setting_definitions.tsv
if ARGV[0] == '--merge'
  seven, eight = ARGV[1, 2].map { |file| File.readlines(file, chomp: true) }
  queue = eight.dup
  seven.each do |line|
    if queue.include?(line)
      puts "8\t#{queue.shift}" until queue.first == line
      puts "*\t#{queue.shift}"
    else
      puts "7\t#{line}"
    end
  end
  puts queue.map { |line| "8\t#{line}" }
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
  allowed = setting.respond_to?(:values) ? setting.values.join(',') : ''
  puts [name, kind, JSON.generate(default), allowed].join("\t")
end
