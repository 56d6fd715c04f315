# Validates manifests with Puppet: prints one JSON object a line with the issues and the tree.
#
#   ruby validate.rb MODULEPATH FILE…     files (.epp as templates)
#   ruby validate.rb -                    snippets: JSON lines {"id", "code", "epp", "tasks", "file"} on standard input
#
# An issue is [severity, code, message, line, pos], in the order in which Puppet finds them; warnings of the lexer come first.
# `pn` is the tree of a file that parses, even if its validation fails.
require 'json'
require 'tmpdir'
require 'puppet'
require 'puppet/pops'
require 'puppet/pops/pn'

module Puppet
  module Test
    # The log destination of this name: collects messages in an array.
    class LogCollector
      attr_reader :logs

      def initialize
        @logs = []
      end

      def <<(value)
        @logs << value
      end
    end
  end
end

Encoding.default_external = Encoding::UTF_8
dir = Dir.mktmpdir
at_exit { FileUtils.remove_entry(dir) }
Puppet.initialize_settings(['--confdir', "#{dir}/c", '--vardir', "#{dir}/v"])
modulepath = ARGV[0] == '-' ? [] : ARGV.shift.split(':')
environment = Puppet::Node::Environment.create(:production, modulepath, Puppet::Node::Environment::NO_MANIFEST)
Puppet.push_context(Puppet.base_context(Puppet.settings), 'validate')
Puppet.push_context({ current_environment: environment }, 'validate')
COLLECTOR = Puppet::Test::LogCollector.new
Puppet::Util::Log.newdestination(COLLECTOR)
Puppet::Util::Log.level = :warning

def failure(error)
  code = error.respond_to?(:issue_code) ? error.issue_code : nil
  line = error.respond_to?(:line) ? error.line : nil
  pos = error.respond_to?(:pos) ? error.pos : nil
  message = error.respond_to?(:basic_message) ? error.basic_message : error.message
  message = message.sub(/ \((?:file: [^,]*, )?line: \d+(?:, column: \d+)?\)\z/, '') if error.is_a?(Puppet::Error)
  # An internal error of Puppet, not an error of the language.
  message = "#{error.class}: #{message.lines.first&.chomp}" unless error.is_a?(Puppet::Error)
  ['error', code&.to_s, message, line, pos]
end

def ask(epp)
  COLLECTOR.logs.clear
  parser = epp ? Puppet::Pops::Parser::EppParser.new : Puppet::Pops::Parser::Parser.new
  issues = []
  pn = nil
  begin
    model = yield(parser).model
    begin
      pn = +''
      Puppet::Pops::Model::PNTransformer.transform(model).format(nil, pn)
    rescue StandardError
      pn = nil
    end
    acceptor = Puppet::Pops::Validation::Acceptor.new
    Puppet::Pops::Validation::ValidatorFactory_4_0.new.validator(acceptor).validate(model)
    formatter = Puppet::Pops::Validation::DiagnosticFormatter.new
    acceptor.diagnostics.each do |found|
      position = found.source_pos
      severity = found.severity == :deprecation ? 'warning' : found.severity.to_s
      issues << [severity, found.issue.issue_code.to_s, formatter.format_message(found), position&.line, position&.pos]
    end
  rescue StandardError => e
    issues << failure(e)
  end
  logs = COLLECTOR.logs.map { |log| [log.level.to_s, log.issue_code&.to_s, log.message, log.line, log.pos] }
  { issues: logs + issues, pn: pn }
end

if ARGV[0] == '-'
  $stdin.each_line do |line|
    request = JSON.parse(line)
    # The language of plans (`puppet parser validate --tasks`).
    Puppet[:tasks] = request['tasks'] == true
    answer = ask(request['epp']) { |parser| parser.parse_string(request['code'], request['file']) }
    puts JSON.generate({ id: request['id'] }.merge(answer))
  end
else
  ARGV.each do |file|
    answer = ask(file.end_with?('.epp')) { |parser| parser.parse_file(file) }
    puts JSON.generate({ file: file }.merge(answer))
  end
end
