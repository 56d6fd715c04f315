# Classes, instance variables, attributes, inheritance, modules and exceptions.
unless defined?(Shape)
  module Named
    def title
      "#{kind} of #{area.round}"
    end
  end

  class Shape
    include Named
    attr_reader :width
    attr_accessor :height

    def initialize(width, height)
      @width = width
      @height = height
    end

    def area
      @width * height
    end

    def kind
      self.class.name
    end
  end

  class Square < Shape
    def initialize(side)
      super(side, side)
    end

    def <=>(other)
      area <=> other.area
    end
    include Comparable
  end
end

def work
  shapes = (1..400).map { |i| i.even? ? Square.new(i % 17) : Shape.new(i, i % 5) }
  total = 0
  failed = 0
  shapes.each do |shape|
    shape.height += 1 unless shape.is_a?(Square)
    total += shape.area
    begin
      raise ArgumentError, 'flat' if shape.area == 0
      total += 100 / shape.width
    rescue ArgumentError, ZeroDivisionError => e
      failed += e.message.length
    end
  end
  titles = shapes.map(&:title).uniq.length
  largest = shapes.grep(Square).max
  "#{total} #{failed} #{titles} #{largest.area}"
end
