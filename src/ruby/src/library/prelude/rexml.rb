# XML as trees, as Ruby's library `rexml` reads and writes it: what programs ask of documents that they read.

module REXML
  class ParseException < RuntimeError
  end

  class UndefinedNamespaceException < ParseException
  end

  ENTITIES = { 'lt' => '<', 'gt' => '>', 'amp' => '&', 'quot' => '"', 'apos' => "'" }.freeze

  class << self
    def unescape(text)
      text.gsub(/&(#x\h+|#\d+|\w+);/) do |whole|
        name = $1
        if name.start_with?('#x')
          [name[2..-1].hex].pack('U')
        elsif name.start_with?('#')
          [name[1..-1].to_i].pack('U')
        else
          ENTITIES[name] || whole
        end
      end
    end

    def escape(text, quote = nil)
      text = text.gsub('&', '&amp;').gsub('<', '&lt;').gsub('>', '&gt;')
      quote ? text.gsub(quote, quote == '"' ? '&quot;' : '&apos;') : text
    end
  end

  # What is in a tree.
  module Node
    attr_accessor :parent

    def next_sibling
      siblings[own_place + 1]
    end

    def previous_sibling
      at = own_place
      at > 0 ? siblings[at - 1] : nil
    end

    def remove
      parent.delete(self) if parent
      self
    end

    def document
      at = self
      at = at.parent while at.parent
      at.is_a?(Document) ? at : nil
    end

    private

    def siblings
      parent ? parent.children : [self]
    end

    def own_place
      siblings.index { |node| node.equal?(self) }
    end
  end

  class Text
    include Node

    def initialize(raw, given = false)
      @raw = given ? REXML.escape(raw) : raw
    end

    def value
      REXML.unescape(@raw)
    end

    def to_s
      @raw
    end

    def node_type
      :text
    end

    def empty?
      @raw.empty?
    end

    def <=>(other)
      value <=> other.to_s
    end

    def ==(other)
      other.is_a?(Text) ? value == other.value : value == other
    end

    def inspect
      @raw.inspect
    end
  end

  class CData < Text
    def value
      @raw
    end

    def to_s
      "<![CDATA[#{@raw}]]>"
    end
  end

  class Comment
    include Node

    attr_reader :string

    def initialize(string)
      @string = string
    end

    def node_type
      :comment
    end

    def to_s
      "<!--#{@string}-->"
    end
  end

  # A declaration or instruction, kept as it was written.
  class Instruction
    include Node

    def initialize(text)
      @text = text
    end

    def node_type
      :processing_instruction
    end

    def to_s
      @text
    end
  end

  class Attribute
    attr_reader :name, :element

    def initialize(name, raw, element)
      @name = name
      @raw = raw
      @element = element
    end

    def value
      REXML.unescape(@raw)
    end

    def node_type
      :attribute
    end

    def to_s
      @raw
    end

    def to_string
      "#{@name}='#{@raw.gsub("'", '&apos;')}'"
    end
  end

  # The attributes of an element.
  class Attributes
    include Enumerable

    def initialize(element)
      @element = element
      @all = {}
    end

    def [](name)
      found = @all[name]
      found && found.value
    end

    def []=(name, value)
      return @all.delete(name) if value.nil?

      @all[name] = Attribute.new(name, REXML.escape(value.to_s), @element)
    end

    def add_raw(name, raw)
      @all[name] = Attribute.new(name, raw, @element)
    end

    def get_attribute(name)
      @all[name]
    end

    def key?(name)
      @all.key?(name)
    end

    def each(&block)
      @all.each { |name, attribute| block.call(name, attribute.value) }
      self
    end

    def each_attribute(&block)
      @all.values.each(&block)
    end

    def keys
      @all.keys
    end

    def to_a
      @all.values
    end

    def length
      @all.size
    end

    alias size length

    def empty?
      @all.empty?
    end

    def delete(name)
      @all.delete(name.to_s)
      @element
    end
  end

  # The elements in an element, by place, name or path.
  class Elements
    include Enumerable

    def initialize(element)
      @element = element
    end

    def all
      @element.children.select { |node| node.is_a?(Element) }
    end

    def [](which)
      return all[which - 1] if which.is_a?(Integer)

      XPath.first(@element, which)
    end

    def each(path = nil, &block)
      found = path ? XPath.match(@element, path).select { |node| node.is_a?(Element) } : all
      found.each(&block)
    end

    def to_a(path = nil)
      path ? XPath.match(@element, path) : all
    end

    def collect(path = nil, &block)
      to_a(path).map(&block)
    end

    alias map collect

    def size
      all.size
    end

    alias length size

    def empty?
      all.empty?
    end

    def add(element)
      @element.add(element)
    end

    alias << add

    def delete(which)
      found = which.is_a?(Element) ? which : self[which]
      found && found.remove
    end

    def delete_all(path)
      XPath.match(@element, path).each(&:remove)
    end
  end

  class Element
    include Node
    include Enumerable

    attr_reader :children, :attributes, :elements
    attr_accessor :name

    def initialize(name, parent = nil)
      @name = name.is_a?(Element) ? name.name : name
      @children = []
      @attributes = Attributes.new(self)
      @elements = Elements.new(self)
      parent.add(self) if parent
    end

    def expanded_name
      @name
    end

    def prefix
      @name.include?(':') ? @name.split(':', 2).first : ''
    end

    def node_type
      :element
    end

    def root
      of = document
      of ? of.root : self
    end

    def add(node)
      node.parent = self
      @children << node
      node
    end

    alias << add
    alias push add

    def add_element(name, attributes = nil)
      made = add(name.is_a?(Element) ? name : Element.new(name))
      attributes && attributes.each { |key, value| made.attributes[key.to_s] = value }
      made
    end

    def add_text(text)
      last = @children.last
      if last.instance_of?(Text)
        @children[-1] = Text.new(last.to_s + REXML.escape(text))
        @children.last.parent = self
      else
        add(Text.new(text, true))
      end
      self
    end

    def add_attribute(name, value)
      @attributes[name] = value
    end

    def add_attributes(pairs)
      pairs.each { |name, value| @attributes[name] = value }
    end

    def delete(node)
      @children.delete_if { |child| child.equal?(node) }
      node.parent = nil
      node
    end

    def delete_element(which)
      @elements.delete(which)
    end

    def attribute(name)
      @attributes.get_attribute(name)
    end

    def [](which)
      which.is_a?(Integer) ? @children[which] : @attributes[which.to_s]
    end

    def texts
      @children.select { |node| node.is_a?(Text) }
    end

    def cdatas
      @children.select { |node| node.is_a?(CData) }
    end

    def get_text(path = nil)
      of = path ? @elements[path] : self
      of && of.texts.first
    end

    def text(path = nil)
      found = get_text(path)
      found && found.value
    end

    def text=(value)
      @children.reject! { |node| node.is_a?(Text) }
      return self if value.nil?

      made = Text.new(value.to_s, true)
      made.parent = self
      @children.unshift(made)
      self
    end

    def has_text?
      !texts.empty?
    end

    def has_elements?
      !@elements.empty?
    end

    def has_attributes?
      !@attributes.empty?
    end

    def each(&block)
      @children.each(&block)
    end

    def each_element(path = nil, &block)
      @elements.each(path, &block)
    end

    def get_elements(path)
      XPath.match(self, path)
    end

    def each_recursive(&block)
      @elements.all.each do |element|
        block.call(element)
        element.each_recursive(&block)
      end
    end

    def next_element
      node = next_sibling
      node = node.next_sibling until node.nil? || node.is_a?(Element)
      node
    end

    def previous_element
      node = previous_sibling
      node = node.previous_sibling until node.nil? || node.is_a?(Element)
      node
    end

    def string_value
      @children.map { |node| node.is_a?(Element) ? node.string_value : (node.is_a?(Text) ? node.value : '') }.join
    end

    def to_s
      start = "<#{@name}#{@attributes.to_a.map { |attribute| " #{attribute.to_string}" }.join}"
      return "#{start}/>" if @children.empty?

      "#{start}>#{@children.map(&:to_s).join}</#{@name}>"
    end

    def write(output = +'', _indent = -1)
      output << to_s
    end

    def inspect
      start = "<#{@name}#{@attributes.to_a.map { |attribute| " #{attribute.to_string}" }.join}"
      @children.empty? ? "#{start}/>" : "#{start}> ... </>"
    end
  end

  class Document < Element
    def initialize(source = nil)
      super('UNDEFINED')
      return if source.nil?

      Parser.new(source.respond_to?(:read) ? source.read : source).read_into(self)
    end

    def node_type
      :document
    end

    def document
      self
    end

    def root
      @elements.all.first
    end

    def to_s
      @children.map(&:to_s).join
    end

    def inspect
      '<UNDEFINED> ... </>'
    end
  end

  # Reads a text into a document.
  class Parser
    NAME = '[[:alpha:]_:][[:alnum:]_:.\-]*'.freeze
    ATTRIBUTE = /\A\s*(#{NAME})\s*=\s*(?:"([^"]*)"|'([^']*)')/.freeze

    def initialize(text)
      @text = text
    end

    def read_into(document)
      at = 0
      open = [document]
      while (start = @text.index('<', at))
        add_text(open, @text[at...start])
        at = token(start, open)
      end
      add_text(open, @text[at..-1])
      return if open.size == 1

      raise ParseException, "Missing end tag for '#{open.last.name}'"
    end

    private

    def add_text(open, raw)
      return if raw.nil? || raw.empty?

      if open.size == 1
        return if raw.strip.empty? && open.first.root.nil? && open.first.children.empty?
        raise ParseException, "Malformed XML: Content at the start of the document (got '#{raw.strip}')" unless raw.strip.empty?
      end
      open.last.add(Text.new(raw.gsub("\r\n", "\n")))
    end

    def token(start, open)
      rest = @text[start, 9]
      if rest.start_with?('<!--')
        stop = ending('-->', start)
        open.last.add(Comment.new(@text[start + 4...stop]))
        stop + 3
      elsif rest.start_with?('<![CDATA[')
        stop = ending(']]>', start)
        open.last.add(CData.new(@text[start + 9...stop]))
        stop + 3
      elsif rest.start_with?('<?', '<!')
        close = rest.start_with?('<?') ? '?>' : '>'
        stop = ending(close, start) + close.size
        open.last.add(Instruction.new(@text[start...stop]))
        stop
      elsif rest.start_with?('</')
        stop = ending('>', start)
        close(@text[start + 2...stop].strip, open)
        stop + 1
      else
        element(start, open)
      end
    end

    def ending(mark, start)
      @text.index(mark, start) || raise(ParseException, "malformed XML: missing #{mark}")
    end

    def close(name, open)
      last = open.pop
      raise ParseException, "Unexpected top-level end tag (got '#{name}')" if open.empty?
      raise ParseException, "Missing end tag for '#{last.name}' (got '#{name}')" unless last.name == name
    end

    def element(start, open)
      stop = tag_end(start)
      inner = @text[start + 1...stop]
      empty = inner.end_with?('/')
      inner = inner[0...-1] if empty
      name = inner[/\A#{NAME}/]
      raise ParseException, 'malformed XML: missing tag start' unless name

      made = open.last.add(Element.new(name))
      read_attributes(made, inner[name.size..-1])
      open << made unless empty
      stop + 1
    end

    # The end of a tag: quotes may hold what looks like one.
    def tag_end(start)
      quote = nil
      at = start
      while (at = @text.index(/[>"']/, at + 1))
        found = @text[at]
        if quote
          quote = nil if found == quote
        elsif found == '>'
          return at
        else
          quote = found
        end
      end
      raise ParseException, 'malformed XML: missing tag start'
    end

    def read_attributes(element, text)
      until text.strip.empty?
        found = ATTRIBUTE.match(text)
        raise ParseException, "Invalid attribute name: <#{text.strip}>" unless found

        element.attributes.add_raw(found[1], found[2] || found[3])
        text = text[found[0].size..-1]
      end
    end
  end

  # Paths: names, `*`, `.`, `..`, `//`, `@name`, `text()`, and conditions on places, attributes and texts.
  module XPath
    STEP = %r{\A(//|/)?([^/\[]+)((?:\[[^\]]*\])*)}.freeze

    class << self
      def match(node, path = '*', *_)
        path.split('|').flat_map { |part| steps(node, part.strip) }
      end

      def first(node, path = '*', *_)
        match(node, path).first
      end

      def each(node, path = '*', *_, &block)
        match(node, path).each(&block)
      end

      private

      def steps(node, path)
        nodes = [node]
        nodes = [node.document || node.root] if path.start_with?('/')
        until path.empty?
          found = STEP.match(path)
          raise ParseException, "unsupported path #{path}" unless found

          path = path[found[0].size..-1]
          deep = found[1] == '//'
          nodes = nodes.flat_map { |one| deep ? [one] + below(one) : [one] } if deep
          conditions = found[3].scan(/\[([^\]]*)\]/).flatten
          nodes = nodes.flat_map { |one| filtered(axis(one, found[2].strip), conditions) }
          nodes = distinct(nodes)
        end
        nodes
      end

      def distinct(nodes)
        found = []
        nodes.each { |node| found << node unless node.is_a?(Element) && found.any? { |one| one.equal?(node) } }
        found
      end

      def below(node)
        return [] unless node.is_a?(Element)

        node.elements.all.flat_map { |element| [element] + below(element) }
      end

      def axis(node, name)
        case name
        when '.', 'self::node()' then [node]
        when '..', 'parent::node()' then [node.parent].compact
        when 'text()' then node.is_a?(Element) ? node.texts : []
        when 'node()' then node.is_a?(Element) ? node.children : []
        when '@*' then node.attributes.to_a
        when /\A(?:@|attribute::)(.+)/ then [node.attribute($1)].compact
        when '*' then node.is_a?(Element) ? node.elements.all : []
        else
          raise ParseException, "unsupported path #{name}" if name.include?('(')

          name = name.sub('child::', '')
          node.is_a?(Element) ? node.elements.all.select { |element| element.name == name } : []
        end
      end

      def filtered(nodes, conditions)
        conditions.each do |condition|
          size = nodes.size
          nodes = nodes.each_with_index.select { |node, at| holds(node, condition.strip, at + 1, size) }.map(&:first)
        end
        nodes
      end

      def holds(node, condition, at, size)
        return condition.split(' and ').all? { |part| holds(node, part.strip, at, size) } if condition.include?(' and ')
        return condition.split(' or ').any? { |part| holds(node, part.strip, at, size) } if condition.include?(' or ')

        case condition
        when /\A\d+\z/ then at == condition.to_i
        when 'last()' then at == size
        when /\Aposition\(\)\s*=\s*(\d+)\z/ then at == $1.to_i
        when /\Acontains\(\s*(.+?)\s*,\s*(?:'([^']*)'|"([^"]*)")\s*\)\z/
          wanted = $2 || $3
          values(node, $1).any? { |value| value.include?(wanted) }
        when /\Astarts-with\(\s*(.+?)\s*,\s*(?:'([^']*)'|"([^"]*)")\s*\)\z/
          wanted = $2 || $3
          values(node, $1).any? { |value| value.start_with?(wanted) }
        when /\Anot\((.+)\)\z/ then !holds(node, $1.strip, at, size)
        when /\A(.+?)\s*(!?=)\s*(?:'([^']*)'|"([^"]*)"|(-?\d+(?:\.\d+)?))\z/
          equal = $2 == '='
          wanted = $3 || $4 || $5
          values(node, $1.strip).any? { |value| (value == wanted) == equal }
        else
          !steps(node, condition).empty?
        end
      end

      def values(node, path)
        steps(node, path).map { |found| found.is_a?(Element) ? found.string_value : found.value }
      end
    end
  end
end
