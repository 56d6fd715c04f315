# frozen_string_literal: true

# Runs Puppet's node terminus `ldap`, which Puppet removed in version 6, on a directory.
#
# usage: ruby tests/reference/ldap.rb LIB PORT < REQUESTS
#
# LIB is a directory with these files of Puppet 5.5.22: lib/puppet/indirector/ldap.rb, lib/puppet/indirector/node/ldap.rb,
# lib/puppet/util/ldap/connection.rb, lib/puppet/util/ldap.rb, lib/puppet/util/methodhelper.rb; Puppet 7 does the rest. REQUESTS has a
# JSON object a line: {"node": CERTNAME, "set": {SETTING: VALUE}}; the answer is {"node", "set", "classes", "parameters", "environment"} or
# {"node", "set", "error"}, or {"node", "set", "missing": true}. Facts are left out. Packages: puppet-agent, ruby-ldap.

require 'json'
require 'tmpdir'
require_relative 'puppet_lib'
require 'puppet'
require 'ldap'

lib, port = ARGV
$LOAD_PATH.unshift(File.join(lib, 'lib'))
Puppet.features.add(:ldap, libs: ['ldap'])
dir = Dir.mktmpdir
Puppet.initialize_settings(['--confdir', dir, '--vardir', dir, '--codedir', dir])
require 'puppet/indirector/node/ldap'

REQUESTED = Puppet::Node::Environment.create(:requested, [])

# Facts belong to other tests.
class Puppet::Node
  def fact_merge(_facts = nil); end

  def environment=(environment)
    @assigned = environment
  end
  attr_reader :assigned
end

def plain(value)
  case value
  when Array then value.map { |item| plain(item) }
  # The library returns binary strings.
  when String then value.dup.force_encoding('UTF-8')
  else value
  end
end

# The library compares names of attributes with case, and slapd returns them in the case of the schema.
def answer(request, port)
  settings = { 'ldapserver' => '127.0.0.1', 'ldapport' => port.to_i, 'ldapbase' => 'ou=Hosts,dc=example,dc=com',
               'ldapclassattrs' => 'puppetClass', 'ldapstackedattrs' => 'puppetVar', 'ldapparentattr' => 'parentNode' }
  settings.merge(request['set'] || {}).each { |name, value| Puppet[name.to_sym] = value }
  found = Puppet::Node::Ldap.new.find(Puppet::Indirector::Request.new(:node, :find, request['node'], nil, environment: REQUESTED))
  return request.merge('missing' => true) unless found

  environment = found.assigned if found.assigned.is_a?(String) || found.assigned.is_a?(Array)
  parameters = found.parameters.map { |name, value| [name.to_s, plain(value)] }
  names = parameters.map(&:first)
  # What a compile does when it sets a top-scope variable twice.
  twice = names.find { |name| names.count(name) > 1 }
  request.merge('classes' => plain(found.classes), 'parameters' => parameters.to_h, 'environment' => plain(environment), 'twice' => twice).compact
rescue StandardError => e
  request.merge('error' => e.message)
end

$stdin.each_line do |line|
  request = JSON.parse(line)
  # Each request has its own settings.
  reader, writer = IO.pipe
  pid = fork { writer.puts(JSON.generate(answer(request, port))); writer.close; exit!(0) }
  writer.close
  puts reader.read
  Process.wait(pid)
end
