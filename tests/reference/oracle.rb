#!/usr/bin/env ruby
# frozen_string_literal: true

# Compiles catalogs with Puppet, loaded once as a library: the installed Puppet 7.23, or the checkout that PUPPET_LIB=DIR
# names. Four commands:
#
#   oracle.rb compile [options]            one node; the native catalog goes to stdout or --out
#   oracle.rb batch REQUESTS.jsonl         many requests, --jobs N at a time, each in a fork
#   oracle.rb serve                        requests on stdin, one JSON object a line; answers on stdout, same order
#   oracle.rb fleet REQUEST.json           many hosts of one site in one process, again for each line on stdin
#
# Options of `compile` and keys of a request are the same (lists and hashes are real lists and hashes in JSON):
#
#   code, manifest      the code to compile: a string; a file or directory
#   facts               a hash, or the path of a facts file ({"name","values"} or plain hash; JSON or YAML)
#   trusted, server_facts   hashes that replace the default ones
#   certname, environment, envdir, modulepath, hiera (global layer's file), settings {name: value}
#   enc                 an executable called with the certname, or a hash {classes, parameters, environment}
#   value               true: answer with the value of `code` (rich data) in place of a catalog
#   main                true, with `value`: at the top scope of Class[main], so that classes can be declared
#   trace               true: also list the functions, templates and resource types that were used
#   fork                false: `serve` answers in its own process: quicker, but Ruby code stays loaded
#   repeat              a number: compile this many times and answer with "timings" (medians in seconds) in place of a catalog
#   id, out             copied to the answer; `out`: write the catalog there and leave it out of the answer
#
# An answer: {"catalog": …} or {"value": …, "type", "detailed" (type), "text" (Puppet source)} or {"error": {message, basic_message, class, issue_code, file, line, pos}},
# always with "logs" [{level, message, file, line}] and "seconds".
#
# There is no network: names are resolved by a fixed rule, PuppetDB queries return [].

require_relative 'puppet_lib'
require 'puppet'
require 'json'
require 'yaml'
require 'optparse'
require 'open3'
require 'resolv'
require 'tmpdir'
require 'zlib'

# Made-up name resolution: addresses come from the CRC-32 of the lower-case name, names from the address.
module FixedNames
  module_function

  def crc(name) = Zlib.crc32(name.to_s.downcase.chomp('.'))
  def v4(name) = format('10.64.%d.%d', crc(name) >> 8 & 255, crc(name) & 255)
  def v6(name) = format('2620:0:861:1::%x:%x', crc(name) >> 16 & 65_535, crc(name) & 65_535)
  def pointer(address) = "host-#{address.to_s.tr('.:', '--')}.example.net"
end

class Resolv
  def getaddress(name) = FixedNames.v4(name)
  def getaddresses(name) = [FixedNames.v4(name), FixedNames.v6(name)]
  def getname(address) = FixedNames.pointer(address)
  def getnames(address) = [FixedNames.pointer(address)]

  class DNS
    def getresources(_name, _type) = []
    def getresource(name, _type) = raise(ResolvError, "DNS result has no information for #{name}")
    def getaddress(name) = IPv4.create(FixedNames.v4(name))
    def getaddresses(name) = [IPv4.create(FixedNames.v4(name)), IPv6.create(FixedNames.v6(name))]
    def getname(address) = Name.create("#{FixedNames.pointer(address)}.")
    def getnames(address) = [getname(address)]
  end
end

begin
  require 'puppet/util/puppetdb'
  Puppet::Util::Puppetdb.define_singleton_method(:query_puppetdb) { |_query| [] }
rescue LoadError
  nil # the terminus is not installed: puppetdb_query() does not exist either
end

# Exactly one environment; its directory, if set, supplies environment.conf and the environment's hiera.yaml.
class OneEnvironment < Puppet::Environments::Static
  def initialize(environment, dir)
    super(environment)
    @environment = environment
    @dir = dir
  end

  def get_conf(name)
    return nil unless name.to_sym == @environment.name

    @dir ? Puppet::Settings::EnvironmentConf.load_from(@dir, []) : super
  end
end

# Lists the functions, templates and types that a compile uses, for choosing cases.
module Trace
  SEEN = { 'functions' => {}, 'templates' => {} } # rubocop:disable Style/MutableConstant

  module Calls
    def call_function(name, args, *rest, &block)
      SEEN['functions'][name.to_s] = true
      super
    end
  end

  module Templates
    def file=(name)
      SEEN['templates'][name] = true
      super
    end
  end

  def self.install
    Puppet::Pops::Evaluator::EvaluatorImpl.prepend(Calls)
    Puppet::Parser::Scope.prepend(Calls)
    Puppet::Parser::TemplateWrapper.prepend(Templates)
  end

  def self.answer(catalog)
    types = catalog ? catalog['resources'].map { |r| r['type'] }.uniq : []
    SEEN.transform_values(&:keys).merge('types' => types)
  end
end

# Compiles requests.
class Oracle
  def initialize
    @home = Dir.mktmpdir('reference')
    at_exit { FileUtils.rm_rf(@home) if Process.pid == @pid }
    @pid = Process.pid
    Puppet.initialize_settings(['--confdir', "#{@home}/conf", '--vardir', "#{@home}/var"])
    Puppet::Type.loadall # the core types belong to no environment; a running server has them loaded, too
    @initial = {}
  end

  def ask(request)
    logs = []
    started = now
    answer = with_logs(logs) { guarded { request['repeat'] ? { 'timings' => timings(request) } : request['value'] ? evaluate(request) : compile(request) } }
    answer['logs'] = logs.map { |l| { 'level' => l.level.to_s, 'message' => l.message.to_s, 'file' => l.file, 'line' => l.line }.compact }
    answer['seconds'] = (now - started).round(4)
    answer['trace'] = Trace.answer(answer['catalog']) if request['trace']
    answer['id'] = request['id'] if request['id']
    if request['out'] && answer['catalog']
      File.write(request['out'], "#{JSON.pretty_generate(answer.delete('catalog'))}\n")
    end
    answer
  ensure
    restore_settings
  end

  # Compiles the hosts of a request each time `gets` returns a line, in one environment that stays loaded; the other keys of the
  # request apply to all hosts. Yields, for each host, the seconds of processor time and of wall-clock time from its facts to the
  # catalog as JSON.
  def fleet(request, gets)
    in_environment(request) do |environment|
      while gets.call
        hosts = request['hosts'].map { |host| with_logs([]) { timed_host(request.merge(host), environment) } }
        yield({ 'hosts' => hosts, 'peak' => File.read('/proc/self/status')[/^VmHWM:\s+(\d+)/, 1].to_i * 1024 })
      end
    end
  ensure
    restore_settings
  end

  def ask_in_fork(request)
    reader, writer = IO.pipe
    pid = fork do
      reader.close
      $stdout.reopen($stderr)
      writer.write(JSON.generate(ask(request)))
      writer.close
      exit!(0)
    end
    writer.close
    text = reader.read
    reader.close
    Process.wait(pid)
    text.empty? ? { 'id' => request['id'], 'error' => { 'message' => 'the compiling process died', 'class' => 'Killed' }, 'logs' => [] } : JSON.parse(text)
  end

  private

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def timed_host(request, environment)
    clocks = -> { [Process::CLOCK_PROCESS_CPUTIME_ID, Process::CLOCK_MONOTONIC].map { |clock| Process.clock_gettime(clock) } }
    started = clocks[]
    made = guarded do
      catalog = Puppet::Parser::Compiler.compile(node(request, environment))
      Puppet.override(rich_data: environment.rich_data?) { JSON.generate(catalog.to_data_hash) }
      { 'resources' => catalog.resources.size }
    end
    cpu, wall = clocks[].zip(started).map { |after, before| after - before }
    made['error'] &&= made['error']['message']
    made.merge('certname' => request['certname'], 'cpu' => cpu, 'wall' => wall)
  end

  def guarded
    yield
  rescue Exception => e # rubocop:disable Lint/RescueException -- the reference raises SystemStackError, LoadError and the like
    { 'error' => describe(e) }
  end

  # The compiler wraps exceptions without a location; the wrapped exception may still have one.
  def describe(error)
    inner = error
    inner = inner.cause while inner.cause && error.message.include?(inner.cause.message) && !inner.respond_to?(:line)
    known = ->(name) { inner.respond_to?(name) ? inner.public_send(name) : nil }
    { 'message' => error.message, 'basic_message' => known[:basic_message] || strip_location(inner), 'class' => error.class.name,
      'issue_code' => known[:issue_code], 'file' => known[:file], 'line' => known[:line], 'pos' => known[:pos] }.compact
  end

  def strip_location(error)
    error.message.sub(/ \((?:file: [^)]*|line: [^)]*)\)\z/, '')
  end

  def with_logs(logs)
    destination = Puppet::Test::LogCollector.new(logs)
    Puppet::Util::Log.level = :notice
    Puppet::Util::Log.newdestination(destination)
    yield
  ensure
    Puppet::Util::Log.close(destination)
  end

  def compile(request)
    in_environment(request) do |environment|
      catalog = Puppet::Parser::Compiler.compile(node(request, environment))
      # A server sends no virtual resources, and no exported ones that nothing collects.
      catalog = catalog.filter(&:virtual?) if request['as_sent']
      { 'catalog' => Puppet.override(rich_data: environment.rich_data?) { JSON.parse(JSON.generate(catalog.to_data_hash)) } }
    end
  end

  # Warm compiles: in one environment that stays loaded, and in a new one each time. The node is created beforehand. Measures
  # processor time, so that other processes do not change the result.
  def timings(request)
    count = request['repeat']
    now = -> { Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) }
    catalog = nil
    timed = lambda do |with_json, environment|
      compiled_node = node(request, environment)
      started = now[]
      catalog = Puppet::Parser::Compiler.compile(compiled_node)
      Puppet.override(rich_data: true) { JSON.generate(catalog.to_data_hash) } if with_json
      now[] - started
    end
    median = ->(seconds) { seconds.drop(seconds.size / 4).sort[(seconds.size - seconds.size / 4) / 2] }
    cached = in_environment(request) { |environment| [false, true].map { |json| median[Array.new(count + count / 3) { timed[json, environment] }] } }
    uncached = [false, true].map do |json|
      median[Array.new(count) { started = now[]; in_environment(request) { |environment| timed[json, environment] }; now[] - started }]
    end
    { 'resources' => catalog.resources.size, 'cached' => cached[0], 'cached, json' => cached[1], 'uncached' => uncached[0], 'uncached, json' => uncached[1] }
  end

  def evaluate(request)
    in_environment(request.merge('code' => '')) do |environment|
      compiler = Puppet::Parser::Compiler.new(node(request, environment))
      compiler.send(:set_node_parameters) if compiler.respond_to?(:set_node_parameters, true)
      compiler.send(:evaluate_main) if request['main']
      Puppet.override({ global_scope: compiler.topscope, loaders: compiler.loaders, rich_data: true }, 'value') do
        value = Puppet::Pops::Parser::EvaluatingParser.new.evaluate_string(compiler.topscope, request.fetch('code'), nil)
        data = Puppet::Pops::Serialization::ToDataConverter.convert(
          value, rich_data: true, symbol_as_string: true, local_reference: false
        )
        types = Puppet::Pops::Types::TypeCalculator
        { 'value' => data, 'type' => types.infer(value).to_s, 'detailed' => types.singleton.infer_set(value).to_s,
          'text' => Puppet::Pops::Types::TypeFormatter.singleton.string(value) }
      end
    end
  end

  def in_environment(request)
    settings(request)
    dir = request['envdir'] && File.expand_path(request['envdir'])
    conf = dir && Puppet::Settings::EnvironmentConf.load_from(dir, [])
    path = request['modulepath'] || (conf ? conf.modulepath.split(':') : [])
    path = path.split(':') if path.is_a?(String)
    manifest = request['manifest'] ? File.expand_path(request['manifest']) : conf&.manifest
    manifest = nil if request['code']
    name = (request['environment'] || 'production').to_sym
    environment = Puppet::Node::Environment.create(name, path.map { |p| File.expand_path(p) }, manifest || Puppet::Node::Environment::NO_MANIFEST)
    # an agent or server has every module's lib/ on its load path
    environment.modules.each { |m| (lib = File.join(m.path, 'lib')) && File.directory?(lib) && !$LOAD_PATH.include?(lib) && $LOAD_PATH.push(lib) } unless request['no_lib']
    Puppet.override({ environments: OneEnvironment.new(environment, dir), current_environment: environment }, 'oracle') do
      # The loader of the environment's functions and types reads the environment's directory.
      Puppet.override({ loaders: Puppet::Pops::Loaders.new(environment) }, 'oracle') { yield environment }
    end
  end

  def settings(request)
    wanted = (request['settings'] || {}).dup
    wanted['code'] = request['code'] if request['code'] && !request['value']
    wanted['hiera_config'] = File.expand_path(request['hiera']) if request['hiera']
    wanted.each do |key, value|
      @initial[key] = Puppet[key.to_sym] unless @initial.key?(key)
      Puppet[key.to_sym] = value
    end
  end

  def restore_settings
    @initial.each { |key, value| Puppet[key.to_sym] = value }
    @initial.clear
  end

  def node(request, environment)
    facts = hash_or_file(request['facts'])
    certname = request['certname'] || facts['name'] || 'web1.example.com'
    values = Marshal.load(Marshal.dump(facts['values'].is_a?(Hash) ? facts['values'] : facts))
    # Before the others, as in Puppet::Node::Facts#add_local_facts.
    values['implementation'] ||= Puppet.implementation if Puppet.respond_to?(:implementation)
    values['clientcert'] ||= certname
    values['clientversion'] ||= Puppet.version
    values['clientnoop'] = false if values['clientnoop'].nil?
    enc = classification(request['enc'], certname)
    node = Puppet::Node.new(certname, **{ environment: environment, classes: enc['classes'], parameters: enc['parameters'] || {} }.compact)
    node.merge(values)
    node.instance_variable_set(:@facts, Puppet::Node::Facts.new(certname, values))
    node.trusted_data = request['trusted'] ? hash_or_file(request['trusted']) : trusted(certname)
    node.add_server_facts(request['server_facts'] ? hash_or_file(request['server_facts']) : server_facts)
    node
  end

  def trusted(certname)
    host, domain = certname.split('.', 2)
    { 'authenticated' => 'remote', 'certname' => certname, 'extensions' => {}, 'hostname' => host, 'domain' => domain, 'external' => {} }
  end

  def server_facts
    { 'serverversion' => Puppet.version, 'servername' => 'puppet.example.com', 'serverip' => '192.0.2.1' }
  end

  def classification(enc, certname)
    return {} unless enc
    return enc if enc.is_a?(Hash)

    text, status = Open3.capture2(File.expand_path(enc), certname)
    raise Puppet::Error, "#{enc} #{certname} failed: #{status}" unless status.success?

    YAML.safe_load(text) || {}
  end

  def hash_or_file(value)
    return value || {} unless value.is_a?(String)

    value.end_with?('.json') ? JSON.parse(File.read(value)) : YAML.safe_load(File.read(value))
  end
end

module Puppet
  module Test
    # A log destination that keeps the messages themselves.
    class LogCollector
      def initialize(logs) = (@logs = logs)
      def <<(message) = (@logs << message)
      def flush = nil
      def close = nil
    end
  end
end
Puppet::Util::Log.newdesttype(:oracle_logs) do
  match 'Puppet::Test::LogCollector'
  def initialize(collector) = (@collector = collector)
  def handle(message) = (@collector << message)
end

def compile_command(arguments)
  request = {}
  OptionParser.new do |o|
    %w[code manifest facts trusted server_facts certname environment envdir modulepath hiera enc out].each do |key|
      o.on("--#{key.tr('_', '-')} X") { |v| request[key] = v }
    end
    o.on('--value') { request['value'] = true }
    o.on('--trace') { request['trace'] = true }
    o.on('--set X') { |v| (request['settings'] ||= {}).store(*v.split('=', 2)) }
  end.parse!(arguments)
  Trace.install if request['trace']
  answer = Oracle.new.ask(request)
  answer['logs'].each { |l| warn "#{l['level']}: #{l['message']}" }
  if answer['error']
    warn "failed: #{answer['error']['message']}"
    exit 1
  end
  shown = answer['catalog'] || answer['value']
  puts JSON.pretty_generate(shown) if answer.key?('catalog') || answer.key?('value')
  warn JSON.generate(answer['trace']) if answer['trace']
end

def batch_command(arguments)
  jobs = 2
  OptionParser.new { |o| o.on('--jobs N', Integer) { |v| jobs = v } }.parse!(arguments)
  requests = File.readlines(arguments.fetch(0)).map { |l| JSON.parse(l) }
  Trace.install if requests.any? { |r| r['trace'] }
  oracle = Oracle.new
  queue = Queue.new
  requests.each { |r| queue << r }
  queue.close
  print_lock = Mutex.new
  Array.new(jobs) do
    Thread.new do
      while (request = queue.pop)
        answer = oracle.ask_in_fork(request)
        print_lock.synchronize { puts JSON.generate(answer) }
      end
    end
  end.each(&:join)
end

def serve_command
  Trace.install if ARGV.include?('--trace')
  oracle = Oracle.new
  $stdout.sync = true
  $stdin.each_line do |line|
    next if line.strip.empty?

    request = JSON.parse(line)
    puts JSON.generate(request['fork'] == false ? oracle.ask(request) : oracle.ask_in_fork(request))
  end
end

# Runs each external command once and keeps its output.
module Remembered
  ANSWERS = {} # rubocop:disable Style/MutableConstant

  module Execute
    def execute(*words, **options)
      ANSWERS[[:execute, words, options]] ||= super
    end
  end

  module Backticks
    def `(command)
      ANSWERS[[:backticks, command]] ||= super
    end
  end

  def self.install
    Puppet::Util::Execution.singleton_class.prepend(Execute)
    Object.prepend(Backticks)
  end
end

def fleet_command(arguments)
  request = JSON.parse(File.read(arguments.fetch(0)))
  Remembered.install unless request['commands']
  $stdout.sync = true
  out = $stdout.dup
  out.sync = true
  $stdout.reopen($stderr)
  Oracle.new.fleet(request, -> { $stdin.gets }) { |answer| out.puts(JSON.generate(answer)) }
end

if __FILE__ == $PROGRAM_NAME
  case (command = ARGV.shift)
  when 'compile' then compile_command(ARGV)
  when 'batch' then batch_command(ARGV)
  when 'serve' then serve_command
  when 'fleet' then fleet_command(ARGV)
  else abort "usage: oracle.rb compile|batch|serve|fleet (see the head of #{File.basename(__FILE__)}), not #{command.inspect}"
  end
end
