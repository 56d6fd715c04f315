# Processes as Ruby's library `open3` and `IO.popen` run them.

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

  # `IO.popen(environment, command, mode, options)`
  def self.popen(*command, **options)
    environment = command.first.is_a?(Hash) ? command.shift : {}
    mode = command[1] || options[:mode] || 'r'
    line = command.first
    if line.is_a?(Array)
      line = line.dup
      environment = environment.merge(line.shift) if line.first.is_a?(Hash)
      options = options.merge(line.pop) if line.last.is_a?(Hash)
    end
    list = line.is_a?(Array) ? line.map { |word| word.is_a?(Array) ? word.first : word } : [line]
    words = line.is_a?(Array) && environment.empty? && !options[:chdir] ? list : words([environment, *list], options)
    if [[:child, :out], :out, 1].include?(options[:err])
      words = words.is_a?(Array) ? words : ['/bin/sh', '-c', words]
      words = ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh'] + words
    end
    pipe = Pipe.new(words, mode)
    return pipe unless block_given?

    begin
      yield pipe
    ensure
      pipe.close unless pipe.closed?
    end
  end

  # What `IO.popen` gives. The process runs when all it is given was written.
  class Pipe
    include Enumerable

    def initialize(words, mode)
      @words = words
      @reads = mode.start_with?('r')
      @writes = !mode.start_with?('r') || mode.include?('+')
      @input = +''
      run unless @writes
    end

    def class
      IO
    end

    def is_a?(other)
      [IO, Enumerable, Object].include?(other)
    end

    def pid
      1
    end

    def sync=(value)
      value
    end

    def write(*texts)
      raise IOError, 'not opened for writing' unless @writes && !@output

      texts.each { |text| @input << text.to_s }
      texts.sum { |text| text.to_s.bytesize }
    end

    def <<(text)
      write(text)
      self
    end

    def print(*texts)
      write(*texts)
      nil
    end

    def puts(*lines)
      write("\n") if lines.empty?
      lines.flatten.each { |line| write(line.to_s.end_with?("\n") ? line : "#{line}\n") }
      nil
    end

    def flush
      self
    end

    def close_write
      run
      nil
    end

    def close
      run
      @closed = true
      nil
    end

    def closed?
      @closed ? true : false
    end

    def read(*args)
      stream.read(*args)
    end

    def gets(*args)
      stream.gets(*args)
    end

    def readline(*args)
      stream.readline(*args)
    end

    def readlines(*args, **options)
      lines = stream.readlines(*args)
      options[:chomp] ? lines.map(&:chomp) : lines
    end

    def each_line(*args, &block)
      return stream.each_line(*args) unless block

      stream.each_line(*args, &block)
      self
    end

    def each(*args, &block)
      each_line(*args, &block)
    end

    def eof?
      stream.eof?
    end
    alias eof eof?

    private

    def stream
      raise IOError, 'closed stream' if @closed
      raise IOError, 'not opened for reading' unless @reads

      run
      @output
    end

    def run
      return if @output

      out, = Process.__run(@words, @writes ? @input : nil)
      @output = StringIO.new(out)
    end
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
