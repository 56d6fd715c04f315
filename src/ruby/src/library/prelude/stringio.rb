# Texts as streams, as Ruby's library `stringio` offers them.

class StringIO
  attr_accessor :string, :lineno

  def self.open(*args)
    stream = new(*args)
    block_given? ? yield(stream) : stream
  end

  def initialize(string = +'', mode = 'r+')
    @string = string
    @at = mode.to_s.start_with?('a') ? string.length : 0
    @lineno = 0
  end

  def read(length = nil)
    rest = @string[@at..-1] || ''
    part = length ? rest[0, length] : rest
    @at += part.length
    length && length > 0 && part.empty? ? nil : part
  end

  def gets(separator = "\n", chomp: false)
    return nil if @at >= @string.length

    # The lines are found once; what is read or written otherwise makes them invalid.
    unless @lines && @lines_at == @at && @lines_by == separator
      @lines = @string[@at..-1].lines(separator)
      @lines_by = separator
      @next = 0
    end
    line = @lines[@next]
    @next += 1
    @at += line.length
    @lines_at = @at
    @lineno += 1
    chomp ? line.chomp : line
  end

  def readline(*args)
    gets(*args) || raise(EOFError, 'end of file reached')
  end

  def each_line(*args)
    return readlines(*args).each unless block_given?

    while (line = gets(*args))
      yield line
    end
    self
  end

  def each(*args, &block)
    each_line(*args, &block)
  end

  def readlines(*args)
    found = []
    each_line(*args) { |line| found << line }
    found
  end

  def getc
    read(1)
  end

  def each_char(&block)
    read.each_char(&block)
  end

  def write(*values)
    values.map { |value| append(value.to_s) }.sum
  end

  def <<(value)
    append(value.to_s)
    self
  end

  def print(*values)
    write(*values)
    nil
  end

  def printf(*args)
    append(format(*args))
    nil
  end

  def puts(*values)
    append("\n") if values.empty?
    values.flatten.each do |value|
      text = value.to_s
      append(text.end_with?("\n") ? text : "#{text}\n")
    end
    nil
  end

  def rewind
    @at = 0
    @lineno = 0
    0
  end

  def pos
    @at
  end

  def eof?
    @at >= @string.length
  end

  def size
    @string.length
  end

  def close; end

  def closed?
    false
  end

  def flush
    self
  end

  private

  def append(text)
    @lines = nil
    if @at == @string.length
      @string << text
    else
      @string = (@string[0, @at] || '') + text + (@string[(@at + text.length)..-1] || '')
    end
    @at += text.length
    text.length
  end
end
