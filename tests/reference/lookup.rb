# frozen_string_literal: true

# Runs `puppet lookup`. Reads JSON from stdin, one request a line: {"site": DIR, "node": CERTNAME,
# "facts": HASH, "args": [...], "set": {...}}; writes one answer a line: {"exit": N, "out": TEXT, "err": TEXT}. Each request runs in a
# fork of a process that has Puppet loaded. The site is copied to an environment `production`, whose directory is printed as
# {{SITE}}; the facts of the request replace those that `puppet lookup` would read from PuppetDB or a cache.

require 'json'
require 'fileutils'
require 'tmpdir'
require_relative 'puppet_lib'
require 'puppet'
require 'puppet/util/command_line'
require 'puppet/application/lookup'
require 'puppet/pops'

# Uses the facts of the request in place of stored ones.
class Puppet::Application::Lookup
  class << self
    attr_accessor :facts
  end

  def retrieve_node_facts(node, extra_facts)
    facts = Puppet::Node::Facts.new(node, self.class.facts.dup)
    facts.add_extra_values(extra_facts) if extra_facts
    raise "No facts available for target node: #{node}" if facts.values.empty?

    facts
  end
end

def answer(request, dir)
  site = File.join(dir, 'code/environments/production')
  FileUtils.mkdir_p(File.dirname(site))
  FileUtils.cp_r(request['site'], site)
  Puppet::Application::Lookup.facts = request['facts']
  settings = { 'confdir' => dir, 'vardir' => File.join(dir, 'var'), 'codedir' => File.join(dir, 'code'),
               'environmentpath' => File.dirname(site), 'basemodulepath' => File.join(dir, 'none'), 'environment' => 'production',
               'color' => 'false' }
  global = File.join(site, 'global.yaml')
  settings['hiera_config'] = global if File.exist?(global)
  settings.merge!(request['set'] || {})
  flags = settings.flat_map { |name, value| ["--#{name}", value.to_s] }
  argv = ['lookup', '--node', request['node'], *request['args'], *flags]
  out, err = %w[out err].map { |name| File.open(File.join(dir, name), 'w+') }
  pid = fork do
    $stdin.reopen(File::NULL)
    $stdout.reopen(out)
    $stderr.reopen(err)
    Puppet::Util::CommandLine.new('puppet', argv).execute
  end
  _, status = Process.wait2(pid)
  text = lambda do |file|
    File.read(file.path, encoding: 'UTF-8').gsub(site, '{{SITE}}').gsub(dir, '{{DIR}}')
  end
  { 'exit' => status.exitstatus, 'out' => text.(out), 'err' => text.(err) }
end

$stdout.sync = true
$stdin.each_line do |line|
  request = JSON.parse(line)
  Dir.mktmpdir { |dir| puts JSON.generate(answer(request, File.realpath(dir))) }
end
