# Paths as objects, as Ruby's library `pathname` offers them, over `File` and `Dir`.

class Pathname
  def self.pwd
    new(Dir.pwd)
  end

  def initialize(path)
    @path = path.to_s
    raise ArgumentError, 'pathname contains null byte' if @path.include?("\0")
  end

  def to_s
    @path
  end

  def to_str
    @path
  end

  def to_path
    @path
  end

  def inspect
    "#<Pathname:#{@path}>"
  end

  def ==(other)
    other.is_a?(Pathname) && @path == other.to_s
  end

  def eql?(other)
    self == other
  end

  def hash
    @path.hash
  end

  def <=>(other)
    @path <=> other.to_s
  end

  def absolute?
    @path.start_with?('/')
  end

  def relative?
    !absolute?
  end

  def root?
    !@path.empty? && @path.delete('/').empty?
  end

  def cleanpath
    kept = []
    @path.split('/').each do |part|
      next if part.empty? || part == '.'

      if part == '..'
        if kept.empty? || kept.last == '..'
          kept.push('..') unless absolute?
        else
          kept.pop
        end
      else
        kept.push(part)
      end
    end
    text = (absolute? ? '/' : '') + kept.join('/')
    Pathname.new(text.empty? ? '.' : text)
  end

  def +(other)
    text = other.to_s
    return Pathname.new(text) if text.start_with?('/')

    base = @path
    parts = text.split('/').reject { |part| part.empty? || part == '.' }
    while parts.first == '..'
      break if base.empty? || base == '.' || File.basename(base) == '..'

      base = File.dirname(base)
      parts.shift
    end
    return Pathname.new(base) if parts.empty?
    return Pathname.new(parts.join('/')) if base.empty? || base == '.'

    Pathname.new(base.end_with?('/') ? base + parts.join('/') : "#{base}/#{parts.join('/')}")
  end

  def /(other)
    self + other
  end

  def join(*others)
    others.inject(self) { |path, other| path + other }
  end

  def parent
    self + '..'
  end

  def ascend
    return to_enum(:ascend) unless block_given?

    path = self
    loop do
      yield path
      break if path.root? || !path.to_s.include?('/')

      path = path.dirname
    end
  end

  def dirname
    Pathname.new(File.dirname(@path))
  end

  def basename(*suffix)
    Pathname.new(File.basename(@path, *suffix))
  end

  def extname
    File.extname(@path)
  end

  def sub(*args, &block)
    Pathname.new(@path.sub(*args, &block))
  end

  def sub_ext(extension)
    Pathname.new(@path[0, @path.length - extname.length] + extension)
  end

  def each_filename(&block)
    @path.split('/').reject(&:empty?).each(&block)
  end

  def relative_path_from(base)
    from = Pathname.new(base.to_s).cleanpath.to_s.split('/').reject { |part| part.empty? || part == '.' }
    to = cleanpath.to_s.split('/').reject { |part| part.empty? || part == '.' }
    while !from.empty? && from.first == to.first
      from.shift
      to.shift
    end
    raise ArgumentError, "base_directory has ..: #{base.inspect}" if from.include?('..')

    text = (['..'] * from.length + to).join('/')
    Pathname.new(text.empty? ? '.' : text)
  end

  def expand_path(*args)
    Pathname.new(File.expand_path(@path, *args))
  end

  def exist?
    File.exist?(@path)
  end

  def file?
    File.file?(@path)
  end

  def directory?
    File.directory?(@path)
  end

  def readable?
    File.readable?(@path)
  end

  def read(*args)
    File.read(@path, *args)
  end

  def readlines(*args)
    File.readlines(@path, *args)
  end

  def children
    Dir.children(@path).sort.map { |name| self + name }
  end

  def entries
    Dir.entries(@path).map { |name| Pathname.new(name) }
  end

  def glob(pattern)
    Dir.glob(File.join(@path, pattern)).map { |path| Pathname.new(path) }
  end
end
