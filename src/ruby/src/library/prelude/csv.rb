# Tables as texts with commas, as Ruby's library `csv` reads and writes them.

class CSV
  include Enumerable

  class MalformedCSVError < RuntimeError
    attr_reader :line_number

    alias lineno line_number

    def initialize(message, line_number)
      @line_number = line_number
      super("#{message} in line #{line_number}.")
    end
  end

  # A line whose fields have names.
  class Row
    include Enumerable

    attr_reader :headers, :fields

    def initialize(headers, fields, header_row = false)
      @headers = headers
      @header_row = header_row
      @fields = fields
      @fields += [nil] * (headers.size - fields.size) if fields.size < headers.size
      @headers += [nil] * (fields.size - headers.size) if headers.size < fields.size
    end

    def header_row?
      @header_row
    end

    def field_row?
      !@header_row
    end

    def [](which)
      return @fields[which] if which.is_a?(Integer)

      at = @headers.index(which)
      at && @fields[at]
    end

    alias field []

    def []=(which, value)
      at = which.is_a?(Integer) ? which : @headers.index(which)
      unless at
        at = @headers.size
        @headers += [which]
      end
      @fields[at] = value
    end

    def fetch(which, *default)
      at = @headers.index(which)
      return @fields[at] if at
      return yield(which) if block_given?
      return default.first unless default.empty?

      raise KeyError, "key not found: #{which}"
    end

    def header?(name)
      @headers.include?(name)
    end

    alias has_key? header?
    alias include? header?
    alias key? header?
    alias member? header?

    def values_at(*which)
      which.map { |one| self[one] }
    end

    def dig(first, *rest)
      found = self[first]
      rest.empty? || found.nil? ? found : found.dig(*rest)
    end

    def size
      @fields.size
    end

    alias length size

    def to_a
      @headers.zip(@fields)
    end

    def to_h
      @headers.each_with_index.each_with_object({}) { |(name, at), found| found[name] = @fields[at] unless found.key?(name) }
    end

    alias to_hash to_h

    def each(&block)
      return to_enum(:each) unless block

      to_a.each(&block)
      self
    end

    alias each_pair each

    def ==(other)
      other.is_a?(CSV::Row) ? to_a == other.to_a : @fields == other
    end

    def to_csv(**options)
      CSV.generate_line(@fields, **options)
    end

    alias to_s to_csv

    def to_str
      to_csv
    end

    def inspect
      pairs = to_a.map { |name, value| "#{name.is_a?(Symbol) ? name : name.inspect}:#{value.inspect}" }
      "#<CSV::Row #{pairs.join(' ')}>"
    end
  end

  # Lines whose fields have names.
  class Table
    include Enumerable

    attr_reader :headers

    def initialize(rows, headers: nil)
      @rows = rows
      @headers = headers || (rows.empty? ? [] : rows.first.headers)
    end

    def mode
      :col_or_row
    end

    def [](which)
      return @rows[which] if which.is_a?(Integer) || which.is_a?(Range)

      @rows.map { |row| row[which] }
    end

    def each(&block)
      return to_enum(:each) unless block

      @rows.each(&block)
      self
    end

    def size
      @rows.size
    end

    alias length size

    def empty?
      @rows.empty?
    end

    def <<(row)
      @rows << (row.is_a?(CSV::Row) ? row : CSV::Row.new(@headers, row))
      self
    end

    def delete_if(&block)
      @rows.delete_if(&block)
      self
    end

    def values_at(*which)
      @rows.values_at(*which)
    end

    def to_a
      [@headers] + @rows.map(&:fields)
    end

    def ==(other)
      other.is_a?(CSV::Table) ? to_a == other.to_a : @rows == other
    end

    def to_csv(write_headers: true, **options)
      lines = @rows.map { |row| row.to_csv(**options) }
      lines.unshift(CSV.generate_line(@headers, **options)) if write_headers
      lines.join
    end

    alias to_s to_csv

    def inspect
      "#<CSV::Table mode:col_or_row row_count:#{@rows.size + 1}>"
    end
  end

  # Takes a text apart into lists of fields.
  class Parser
    def initialize(text, col_sep: ',', row_sep: :auto, quote_char: '"', skip_blanks: false, skip_lines: nil,
                   strip: false, liberal_parsing: false, nil_value: nil, empty_value: '')
      @text = text
      @separator = col_sep
      @quote = quote_char
      @skip_blanks = skip_blanks
      @skip_lines = skip_lines
      @strip = strip
      @liberal = liberal_parsing
      @nil_value = nil_value
      @empty_value = empty_value
      @row = row_sep == :auto ? ending : row_sep
    end

    def each
      @at = 0
      @line = 0
      until @at >= @text.length
        start = @at
        fields = read_line
        raw = @text[start...@at].chomp(@row)
        if raw.empty?
          next if @skip_blanks

          fields = []
        end
        yield fields unless @skip_lines && skipped?(raw)
      end
    end

    private

    # What the first line ends with.
    def ending
      first = @text[/\r\n|\n|\r/]
      first || "\n"
    end

    def skipped?(raw)
      @skip_lines.is_a?(String) ? raw.include?(@skip_lines) : @skip_lines.match?(raw)
    end

    def read_line
      fields = []
      @line += 1
      loop do
        fields << read_field
        return fields if ended?

        @at += @separator.length
        # A line that ends behind a separator has one more field, which is empty.
        return fields << @nil_value if ended?
      end
    end

    def ended?
      return true if @at >= @text.length
      return false unless @text[@at, @row.length] == @row

      @at += @row.length
      true
    end

    def read_field
      skip_spaces if @strip
      return quoted if @quote && @text[@at, 1] == @quote

      stop = @text.index(@separator, @at) || @text.length
      line = @text.index(@row, @at) || @text.length
      value = @text[@at...(stop < line ? stop : line)]
      unless @liberal
        raise CSV::MalformedCSVError.new('Illegal quoting', @line) if @quote && value.include?(@quote)

        stray = value.index(/[\r\n]/)
        raise CSV::MalformedCSVError.new("Unquoted fields do not allow new line #{value[stray].inspect}", @line) if stray
      end
      @at += value.length
      value = value.strip if @strip
      value.empty? ? @nil_value : value
    end

    def quoted
      first = @line
      value = +''
      @at += 1
      loop do
        stop = @text.index(@quote, @at)
        raise CSV::MalformedCSVError.new('Unclosed quoted field', first) unless stop

        part = @text[@at...stop]
        @line += part.scan(@row).size
        value << part
        @at = stop + 1
        break unless @text[@at, 1] == @quote

        value << @quote
        @at += 1
      end
      skip_spaces if @strip
      unless @at >= @text.length || @text[@at, @separator.length] == @separator || @text[@at, @row.length] == @row
        raise CSV::MalformedCSVError.new('Any value after quoted field isn\'t allowed', @line)
      end

      value.empty? ? @empty_value : value
    end

    def skip_spaces
      @at += 1 while [' ', "\t"].include?(@text[@at, 1])
    end
  end

  INTEGER = /\A[+-]?\d+\z/.freeze
  FLOAT = /\A[+-]?\d+(\.\d+)?([eE][+-]?\d+)?\z/.freeze

  class << self
    def parse(text, **options, &block)
      table = new(text, **options)
      return table.each(&block) if block

      table.read
    end

    def parse_line(text, **options)
      new(text, **options).each { |row| return row }
      nil
    end

    def generate(text = nil, **options)
      table = new(text || +'', **options)
      yield table
      table.string
    end

    def generate_line(fields, **options)
      new(+'', **options).send(:line, fields)
    end

    def generate_lines(rows, **options)
      rows.map { |fields| generate_line(fields, **options) }.join
    end

    def read(path, **options)
      parse(File.read(path), **options)
    end

    alias readlines read

    def table(path, **options)
      read(path, headers: true, converters: :numeric, header_converters: :symbol, **options)
    end

    def foreach(path, mode = 'r', **options, &block)
      return read(path, **options).each unless block

      new(File.read(path), **options).each(&block)
    end
  end

  WRITING = [:force_quotes, :quote_empty, :write_headers].freeze

  def initialize(text = '', headers: nil, header_converters: nil, converters: nil, return_headers: false, **options)
    @text = text.respond_to?(:read) ? text.read : text
    @headers = headers
    @header_converters = [header_converters].flatten.compact
    @converters = [converters].flatten.compact
    @return_headers = return_headers
    @options = options.reject { |name, _| WRITING.include?(name) }
    @separator = options[:col_sep] || ','
    @row = options[:row_sep] || "\n"
    @row = "\n" if @row == :auto
    @quote = options.fetch(:quote_char, '"')
    @force = options[:force_quotes]
    @quote_empty = options.fetch(:quote_empty, true)
    @write_headers = options[:write_headers]
  end

  def string
    @text
  end

  def headers
    @headers.is_a?(Array) ? @headers : (@headers ? @names || true : nil)
  end

  def each
    return to_enum(:each) unless block_given?

    names = @headers.is_a?(Array) ? names_of(@headers) : nil
    names = names_of(CSV.parse_line(@headers, **@options)) if @headers.is_a?(String)
    Parser.new(@text, **@options).each do |fields|
      if @headers && names.nil?
        names = names_of(fields)
        @names = names
        yield Row.new(names, names, true) if @return_headers
        next
      end
      if names
        values = fields.each_with_index.map { |value, at| converted(value, names[at]) }
        yield Row.new(names, values)
      else
        yield fields.map { |value| converted(value, nil) }
      end
    end
    self
  end

  def read
    rows = to_a
    @headers ? Table.new(rows, headers: @names) : rows
  end

  alias readlines read

  def shift
    @walker ||= to_enum(:each)
    @walker.next
  rescue StopIteration
    nil
  end

  alias gets shift
  alias readline shift

  def <<(fields)
    if @write_headers && @headers.is_a?(Array) && !@wrote
      @wrote = true
      @text << line(@headers)
    end
    fields = fields.fields if fields.is_a?(Row)
    fields = @headers.map { |name| fields[name] } if fields.is_a?(Hash)
    @text << line(fields)
    self
  end

  alias add_row <<
  alias puts <<

  private

  def names_of(fields)
    fields.map do |name|
      @header_converters.inject(name) do |text, converter|
        next text unless text.is_a?(String)

        case converter
        when :downcase then text.downcase
        when :symbol then text.strip.downcase.gsub(/[^\s\w]+/, '').gsub(/\s+/, '_').to_sym
        when :symbol_raw then text.strip.to_sym
        else converter.call(text)
        end
      end
    end
  end

  def converted(value, name)
    @converters.each do |converter|
      return value unless value.is_a?(String)

      value = case converter
              when :integer then integer(value)
              when :float then float(value)
              when :numeric, :all then float(integer(value))
              when Proc then converter.arity == 1 ? converter.call(value) : converter.call(value, name)
              else raise NoMethodError, "undefined method `arity' for nil:NilClass"
              end
    end
    value
  end

  def integer(value)
    value.match?(INTEGER) ? Integer(value, 10) : value
  end

  def float(value)
    value.is_a?(String) && value.match?(FLOAT) ? Float(value) : value
  end

  def line(fields)
    fields.map { |value| quoted(value) }.join(@separator) + @row
  end

  def quoted(value)
    return @force ? "#{@quote}#{@quote}" : '' if value.nil?

    text = value.to_s
    return @quote_empty ? "#{@quote}#{@quote}" : '' if text.empty?

    special = @force || text.include?(@quote) || text.include?(@separator) || text.match?(/[\r\n]/) || text.match?(/\A[ \t]|[ \t]\z/)
    special ? "#{@quote}#{text.gsub(@quote, @quote * 2)}#{@quote}" : text
  end
end

class Array
  def to_csv(**options)
    CSV.generate_line(self, **options)
  end
end

class String
  def parse_csv(**options)
    CSV.parse_line(self, **options)
  end
end
