#!/usr/bin/env ruby
# frozen_string_literal: true

# Evaluates the cases of `random` with Puppet, all in one process. Requests on stdin, one JSON object a line:
#
#   {"id", "mode": "value" | "catalog", "code", "manifest", "settings": {}, "env": DIRECTORY, "enc": {}, "puppet": "8", "serverversion"}
#
# "manifest" is evaluated before the code of "value".
#
# Answers on stdout, same order: {"id", "value", "type", "set", "logs"} or {"id", "catalog", "logs"} or {"id", "error", "logs"}.
# Every case gets its own environment, loaders and compiler; the clock is constant. Start it with
# --disable-error_highlight --disable-did_you_mean, so that messages contain no excerpts of Ruby's source.

require_relative 'oracle'
require 'timeout'

# The clock is constant, as in tests/answers/random.rs.
NOW = Time.at(1_700_000_000).utc
class << Time
  def now(*) = NOW.dup
end

# Evaluates cases.
class Cases < Oracle
  def initialize(facts)
    super()
    @facts = facts
    @variables = ENV.to_h
  end

  def case(request)
    logs = []
    # stdlib's time() sets the time zone of the process and does not restore it when it fails.
    ENV.replace(@variables)
    Puppet::Util::Warnings.clear_warnings
    Puppet.clear_deprecation_warnings
    # State that a stack overflow left behind.
    formatter = Puppet::Pops::Types::TypeFormatter.singleton
    (formatter.instance_variables - [:@string_visitor]).each { |name| formatter.remove_instance_variable(name) }
    answer = with_logs(logs) { guarded { Timeout.timeout(10) { request['mode'] == 'catalog' ? compile(full(request)) : value(full(request)) } } }
    error = answer['error'] && answer['error']['message']
    answer['error'] = error if error
    answer['logs'] = log_lines(logs, error)
    answer['id'] = request['id']
    answer
  ensure
    restore_settings
  end

  private

  def full(request)
    # The last parts of the compared releases may differ.
    server_facts = { 'serverversion' => request['serverversion'] || Puppet.version, 'servername' => 'puppet.example.com', 'serverip' => '192.0.2.1' }
    defaults = request['puppet'] ? {} : { 'strict' => 'warning', 'strict_variables' => false }
    request.merge('envdir' => request['env'], 'facts' => @facts, 'no_lib' => true, 'server_facts' => server_facts,
                  'settings' => defaults.merge(request['settings'] || {}))
  end

  # The compiler also logs the error, which is already the answer.
  def log_lines(logs, error)
    lines = logs.map do |log|
      text = log.to_s
      text = "#{log.source}: #{text}" unless log.source == 'Puppet'
      [log.level.to_s, text]
    end
    lines.pop if error && lines.last && lines.last[0] == 'err' && lines.last[1].start_with?(error[0, 40])
    lines.map { |level, text| "#{level}: #{text}" }
  end

  def value(request)
    code = request['code']
    in_environment(request.merge('code' => request['manifest'] || '')) do |environment|
      compiler = Puppet::Parser::Compiler.new(node(request, environment))
      Puppet.override({ global_scope: compiler.topscope, loaders: compiler.loaders }, 'value') do
        compiler.send(:set_node_parameters)
        compiler.send(:create_settings_scope)
        compiler.send(:evaluate_main)
        value = Puppet::Pops::Parser::EvaluatingParser.new.evaluate_string(compiler.topscope, code, nil)
        calculator = Puppet::Pops::Types::TypeCalculator.singleton
        { 'value' => Puppet::Pops::Types::TypeFormatter.singleton.string(value), 'type' => calculator.infer(value).to_s,
          'set' => calculator.infer_set(value).to_s }
      end
    end
  end
end

if __FILE__ == $PROGRAM_NAME
  $stdout.sync = true
  answers = $stdout.dup
  $stdout.reopen($stderr)
  facts = JSON.parse(File.read(ARGV.fetch(0)))
  cases = Cases.new(facts)
  $stdin.each_line do |line|
    answers.puts(JSON.generate(cases.case(JSON.parse(line))))
    answers.flush
  end
end
