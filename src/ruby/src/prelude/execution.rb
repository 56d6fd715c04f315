# Processes, as Puppet's `Puppet::Util::Execution` and Ruby's library `open3` run them.

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

module Open3
  def self.capture3(*command, stdin_data: nil, **options)
    out, err, = Process.__run(words(command, options), stdin_data)
    [out, err, $?]
  end

  def self.capture2(*command, stdin_data: nil, **options)
    out, = Process.__run(words(command, options), stdin_data)
    [out, $?]
  end

  def self.capture2e(*command, stdin_data: nil, **options)
    words = words(command, options)
    words = words.is_a?(Array) ? words : ['/bin/sh', '-c', words]
    out, = Process.__run(['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh'] + words, stdin_data)
    [out, $?]
  end

  def self.words(command, options)
    environment = command.first.is_a?(Hash) ? command.shift : {}
    return command.first if command.length == 1 && environment.empty? && !options[:chdir]

    command = ['/bin/sh', '-c', command.first] if command.length == 1
    prefix = ['/usr/bin/env']
    prefix += ['-C', options[:chdir]] if options[:chdir]
    prefix + environment.map { |name, value| "#{name}=#{value}" } + command
  end
end
