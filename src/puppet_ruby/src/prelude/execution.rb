# Processes as Puppet's `Puppet::Util::Execution` and Facter run them.

module Puppet::Util::Execution
  class ProcessOutput < String
    attr_reader :exitstatus

    def initialize(value, exitstatus)
      super(value)
      @exitstatus = exitstatus
    end
  end

  NoOptionsSpecified = {}.freeze

  def self.execute(command, options = nil)
    given = options || {}
    options = { failonfail: options.nil?, combine: options.nil?, squelch: false, override_locale: true,
                custom_environment: {}, sensitive: false }.merge(given)
    argv = command.is_a?(Array) ? command.flatten.map(&:to_s) : ['/bin/sh', '-c', command]
    shown = command.is_a?(Array) ? argv.join(' ') : command
    shown = '[redacted]' if options[:sensitive]
    Puppet.debug("Executing: '#{shown}'")
    cwd = options[:cwd]
    raise ArgumentError, "Working directory #{cwd} does not exist!" if cwd && !File.directory?(cwd)

    stdin = options[:stdinfile] && File.read(options[:stdinfile])
    output, status = run(argv, options, cwd, stdin)
    if options[:failonfail] && status != 0
      raise Puppet::ExecutionFailure, "Execution of '#{shown}' returned #{status}: #{output.strip[0, 1024]}"
    end

    ProcessOutput.new(output, status)
  end

  def self.run(argv, options, cwd, stdin)
    environment = options[:override_locale] ? { 'LANG' => 'C', 'LC_ALL' => 'C' } : {}
    environment = environment.merge(options[:custom_environment] || {})
    words = ['/usr/bin/env']
    words += ['-C', cwd] if cwd
    environment.each { |name, value| words += value.nil? ? ['-u', name.to_s] : ["#{name}=#{value}"] }
    words += argv
    words = ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh'] + words if options[:combine]
    output, _, status = Process.__run(words, stdin)
    [options[:squelch] ? '' : output, status]
  end
end

module Facter
  module Core
    module Execution
      def self.execute(command, _options = {})
        Process.__run(command)[0].strip
      end

      def self.exec(command)
        execute(command)
      end
    end
  end

  module Util
    module Resolution
      def self.exec(command)
        Facter::Core::Execution.execute(command)
      end
    end
  end
end
