# Fractions, as Ruby's class Rational calculates with them.

class Rational < Numeric
  include Comparable

  attr_reader :numerator, :denominator

  class << self
    # Rational(a, b)
    def convert(first, second = 1, exception: true)
      raise TypeError, "can't convert nil into Rational" if first.nil? || second.nil?

      first = exactly(first)
      second = exactly(second)
      return first if second == 1

      first / second
    rescue ArgumentError, TypeError
      raise if exception
    end

    def made(numerator, denominator)
      raise ZeroDivisionError, 'divided by 0' if denominator.zero?

      if denominator < 0
        numerator = -numerator
        denominator = -denominator
      end
      divisor = numerator.gcd(denominator)
      new(numerator / divisor, denominator / divisor)
    end

    def of_float(value)
      raise FloatDomainError, value.to_s if value.nan? || value.infinite?

      denominator = 1
      while value != value.floor
        value *= 2
        denominator *= 2
      end
      made(value.to_i, denominator)
    end

    NUMBER = /\A\s*([+-]?)(\d+(?:_\d+)*)?(?:\.(\d+(?:_\d+)*))?(?:[eE]([+-]?\d+))?(?:\/(\d+(?:_\d+)*))?/.freeze

    # What a text begins with; and what is behind it.
    def of_text(text)
      found = NUMBER.match(text)
      return [made(0, 1), text] unless found && found[2]

      whole = found[2].delete('_')
      part = (found[3] || '').delete('_')
      value = made((whole + part).to_i, 10**part.size)
      power = found[4].to_i
      value = power < 0 ? value / 10**-power : value * 10**power
      value /= found[5].delete('_').to_i if found[5]
      [found[1] == '-' ? -value : value, found.post_match]
    end

    # The simplest fraction between two.
    def simplest(low, high)
      p0, p1, q0, q1 = 0, 1, 1, 0
      loop do
        up = low.ceil
        return made(up * p1 + p0, up * q1 + q0) if up < high

        down = up - 1
        p0, p1 = p1, down * p1 + p0
        q0, q1 = q1, down * q1 + q0
        low, high = made(1, 1) / (high - down), made(1, 1) / (low - down)
      end
    end

    def near_float(value)
      return -near_float(-value) if value < 0
      return made(0, 1) if value.zero?

      digits = value
      power = 0
      while digits < 4503599627370496.0
        digits *= 2
        power -= 1
      end
      return of_float(value) if power >= 0

      digits = 2 * digits.to_i
      below = 2**(1 - power)
      simplest(made(digits - 1, below), made(digits + 1, below))
    end

    private

    def exactly(value)
      case value
      when Integer then new(value, 1)
      when Rational then value
      when Float then of_float(value)
      when String
        found, rest = of_text(value)
        raise ArgumentError, "invalid value for convert(): #{value.inspect}" unless rest.strip.empty? && value.match?(/\d/)

        found
      else
        shown = [true, false].include?(value) ? value.inspect : value.class
        raise TypeError, "can't convert #{shown} into Rational"
      end
    end
  end

  def initialize(numerator, denominator)
    @numerator = numerator
    @denominator = denominator
  end

  def +(other)
    return to_f + other if other.is_a?(Float)

    other = fraction(other, :+)
    Rational.made(@numerator * other.denominator + other.numerator * @denominator, @denominator * other.denominator)
  end

  def -(other)
    return to_f - other if other.is_a?(Float)

    other = fraction(other, :-)
    Rational.made(@numerator * other.denominator - other.numerator * @denominator, @denominator * other.denominator)
  end

  def *(other)
    return to_f * other if other.is_a?(Float)

    other = fraction(other, :*)
    Rational.made(@numerator * other.numerator, @denominator * other.denominator)
  end

  def /(other)
    return to_f / other if other.is_a?(Float)

    other = fraction(other, :/)
    Rational.made(@numerator * other.denominator, @denominator * other.numerator)
  end

  alias quo /

  def **(other)
    return to_f**other.to_f unless other.is_a?(Integer)

    other < 0 ? Rational.made(@denominator**-other, @numerator**-other) : Rational.made(@numerator**other, @denominator**other)
  end

  alias pow **

  def %(other)
    return to_f % other if other.is_a?(Float)

    self - other * (self / other).floor
  end

  alias modulo %

  def div(other)
    (self / other).floor
  end

  def divmod(other)
    [div(other), self % other]
  end

  def fdiv(other)
    to_f / other
  end

  def -@
    Rational.new(-@numerator, @denominator)
  end

  def +@
    self
  end

  def abs
    @numerator < 0 ? -self : self
  end

  alias magnitude abs

  def <=>(other)
    case other
    when Float then to_f <=> other
    when Integer, Rational
      other = fraction(other, :<=>)
      @numerator * other.denominator <=> other.numerator * @denominator
    end
  end

  def ==(other)
    (self <=> other) == 0
  end

  def eql?(other)
    other.is_a?(Rational) && self == other
  end

  def hash
    [:rational, @numerator, @denominator].hash
  end

  def coerce(other)
    case other
    when Integer then [Rational.new(other, 1), self]
    when Float then [other, to_f]
    else raise TypeError, "#{other.class} can't be coerced into Rational"
    end
  end

  def zero?
    @numerator.zero?
  end

  def nonzero?
    zero? ? nil : self
  end

  def positive?
    @numerator > 0
  end

  def negative?
    @numerator < 0
  end

  def integer?
    false
  end

  def finite?
    true
  end

  def infinite?
    nil
  end

  def frozen?
    true
  end

  def to_i
    @numerator < 0 ? -(-@numerator / @denominator) : @numerator / @denominator
  end

  def to_f
    @numerator.fdiv(@denominator)
  end

  def to_r
    self
  end

  def rationalize(about = nil)
    return self unless about
    return -(-self).rationalize(about) if negative?

    about = Rational.convert(about).abs
    about.zero? ? self : Rational.simplest(self - about, self + about)
  end

  def floor(digits = nil)
    to_digits(digits) { |value| value.numerator / value.denominator }
  end

  def ceil(digits = nil)
    to_digits(digits) { |value| -(-value.numerator / value.denominator) }
  end

  def truncate(digits = nil)
    to_digits(digits, &:to_i)
  end

  def round(digits = nil, half: :up)
    to_digits(digits) do |value|
      twice = value.abs * 2
      up = (twice.numerator + twice.denominator) / (2 * twice.denominator)
      tie = twice.denominator == 1 && twice.numerator.odd?
      up -= 1 if tie && (half.to_s == 'down' || (half.to_s == 'even' && up.odd?))
      value.negative? ? -up : up
    end
  end

  def to_s
    "#{@numerator}/#{@denominator}"
  end

  def inspect
    "(#{@numerator}/#{@denominator})"
  end

  private

  def fraction(other, operator)
    case other
    when Rational then other
    when Integer then Rational.new(other, 1)
    else raise TypeError, "#{other.nil? ? 'nil' : other.class} can't be coerced into Rational"
    end
  end

  def to_digits(digits)
    return yield(self) if digits.nil?

    scale = 10**digits.abs
    return Rational.made(yield(self * scale), scale) if digits > 0

    yield(self / scale) * scale
  end
end
