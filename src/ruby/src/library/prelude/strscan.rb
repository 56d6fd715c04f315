# Ruby's library `strscan`: a text read from its beginning by patterns.

class StringScanner
  attr_reader :string, :matched

  def initialize(string)
    @string = string
    @at = 0
  end

  def string=(string)
    @string = string
    reset
  end

  def reset
    @at = 0
    @found = @matched = nil
    self
  end

  def terminate
    @at = @string.length
    @found = @matched = nil
    self
  end

  # Positions are counted in bytes.
  def pos
    @string[0, @at].bytesize
  end

  def pos=(at)
    @at = @string.byteslice(0, at).length
  end

  def charpos
    @at
  end

  def eos?
    @at >= @string.length
  end

  def rest?
    !eos?
  end

  def rest
    @string[@at..-1] || ''
  end

  def rest_size
    rest.length
  end

  def peek(length)
    rest[0, length]
  end

  def getch
    scan(/./m)
  end

  def bol?
    @at.zero? || @string[@at - 1] == "\n"
  end

  def beginning_of_line?
    bol?
  end

  def check(pattern)
    __match(pattern, false, false)
  end

  def scan(pattern)
    __match(pattern, true, false)
  end

  def skip(pattern)
    found = scan(pattern)
    found && found.length
  end

  def match?(pattern)
    found = check(pattern)
    found && found.length
  end

  def check_until(pattern)
    __match(pattern, false, true)
  end

  def scan_until(pattern)
    __match(pattern, true, true)
  end

  def skip_until(pattern)
    found = scan_until(pattern)
    found && found.length
  end

  def exist?(pattern)
    found = check_until(pattern)
    found && found.length
  end

  def unscan
    @at = @before
    @found = @matched = nil
    self
  end

  def matched?
    !@found.nil?
  end

  def matched_size
    @matched && @matched.length
  end

  def [](group)
    @found && @found[group]
  end

  def captures
    @found && @found.captures
  end

  def pre_match
    @found && @string[0, @start]
  end

  def post_match
    @found && @string[(@start + @matched.length)..-1]
  end

  private

  def __match(pattern, moves, anywhere)
    pattern = Regexp.new(Regexp.escape(pattern)) if pattern.is_a?(String)
    left = rest
    @found = anywhere ? left.match(pattern) : left.match(/\A(?:#{pattern})/)
    @matched = nil
    return nil unless @found

    @matched = @found[0]
    before = @found.pre_match.length
    @before = @at
    @start = @at + before
    @at = @start + @matched.length if moves
    left[0, before + @matched.length]
  end
end
