# Days of the calendar, as Ruby's library `date` offers them.

class Date
  include Comparable

  class Error < ArgumentError; end

  MONTHNAMES = [nil, 'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October',
                'November', 'December'].freeze
  ABBR_MONTHNAMES = [nil, 'Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'].freeze
  DAYNAMES = %w[Sunday Monday Tuesday Wednesday Thursday Friday Saturday].freeze
  ABBR_DAYNAMES = %w[Sun Mon Tue Wed Thu Fri Sat].freeze
  EPOCH = 2_440_588

  # A number of days between two dates: Ruby's rational number.
  class Days < Integer
    def to_s
      "#{to_i}/1"
    end

    def inspect
      "(#{to_i}/1)"
    end
  end

  attr_reader :time

  def self.leap?(year)
    (year % 4).zero? && (year % 100 != 0 || (year % 400).zero?)
  end

  def self.gregorian_leap?(year)
    leap?(year)
  end

  def self.last_day(year, month)
    return 29 if month == 2 && leap?(year)

    [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  end

  def self.valid_date?(year, month, day)
    return false unless [year, month, day].all?(Integer)

    month += 13 if month.negative?
    return false unless month.between?(1, 12)

    last = last_day(year, month)
    day = last + day + 1 if day.negative?
    day.between?(1, last)
  end

  def self.valid_civil?(*args)
    valid_date?(*args)
  end

  def self.today
    now = Time.now
    new(now.year, now.month, now.day)
  end

  def self.jd(number)
    at(Time.at((number - EPOCH) * 86_400).utc)
  end

  def self.at(time)
    made = allocate
    made.send(:from, time)
    made
  end

  def self.parse(text, _comp = true)
    parts = Time.__parse(text)
    raise Error, 'invalid date' if parts.nil? || (parts[1].nil? && parts[2].nil?)

    from_parts(parts)
  end

  def self.iso8601(text)
    parse(text)
  end

  def self.strptime(text, format = '%F')
    seconds = Time.__strptime(text, format)
    raise Error, 'invalid date' if seconds.nil?

    from_seconds(seconds)
  end

  def self.from_seconds(seconds)
    time = Time.at(seconds[0]).utc
    new(time.year, time.month, time.day)
  end

  def self.from_parts(parts)
    now = Time.now
    year = parts[0] || now.year
    month = parts[1] || now.month
    day = parts[2] || 1
    raise Error, 'invalid date' unless valid_date?(year, month, day)

    new(year, month, day)
  end

  def self.civil(*args)
    new(*args)
  end

  def initialize(year = -4712, month = 1, day = 1)
    raise Error, 'invalid date' unless Date.valid_date?(year, month, day)

    month += 13 if month.negative?
    day = Date.last_day(year, month) + day + 1 if day.negative?
    @time = Time.utc(year, month, day)
  end

  def year
    @time.year
  end

  def month
    @time.month
  end

  def mon
    @time.month
  end

  def day
    @time.day
  end

  def mday
    @time.day
  end

  def wday
    @time.wday
  end

  def yday
    @time.yday
  end

  def cwday
    wday.zero? ? 7 : wday
  end

  def cweek
    strftime('%V').to_i
  end

  def cwyear
    strftime('%G').to_i
  end

  def jd
    @time.to_i.div(86_400) + EPOCH
  end

  def mjd
    jd - 2_400_001
  end

  def leap?
    Date.leap?(year)
  end

  DAYNAMES.each_with_index do |name, number|
    define_method("#{name.downcase}?") { wday == number }
  end

  def +(other)
    self.class.at(@time + (other * 86_400))
  end

  def -(other)
    return Days.new((@time - other.to_date.time).to_i / 86_400) if other.is_a?(Date)

    self.class.at(@time - (other * 86_400))
  end

  def >>(other)
    total = (year * 12) + (month - 1) + other
    new_year = total.div(12)
    new_month = (total % 12) + 1
    new_day = [day, Date.last_day(new_year, new_month)].min
    self + (Date.new(new_year, new_month, new_day) - Date.new(year, month, day)).to_i
  end

  def <<(other)
    self >> -other
  end

  def next_day(count = 1)
    self + count
  end

  def prev_day(count = 1)
    self - count
  end

  def next
    self + 1
  end

  def succ
    self + 1
  end

  def next_month(count = 1)
    self >> count
  end

  def prev_month(count = 1)
    self << count
  end

  def next_year(count = 1)
    self >> (count * 12)
  end

  def prev_year(count = 1)
    self << (count * 12)
  end

  def <=>(other)
    return nil unless other.is_a?(Date)

    @time <=> other.time
  end

  def ==(other)
    other.is_a?(Date) && @time == other.time
  end

  def eql?(other)
    self == other
  end

  def ===(other)
    other.is_a?(Date) && jd == other.jd
  end

  def upto(last)
    at = self
    while at <= last
      yield at
      at += 1
    end
    self
  end

  def downto(last)
    at = self
    while at >= last
      yield at
      at -= 1
    end
    self
  end

  def strftime(format = '%F')
    @time.strftime(format)
  end

  def iso8601
    strftime('%F')
  end

  def httpdate
    strftime('%a, %d %b %Y %T GMT')
  end

  def rfc2822
    strftime('%a, %-d %b %Y %T %z')
  end

  def to_s
    strftime('%F')
  end

  def to_date
    Date.new(year, month, day)
  end

  def to_time
    Time.local(year, month, day)
  end

  def to_datetime
    DateTime.at(@time)
  end

  def inspect
    "#<Date: #{self}>"
  end

  def to_json(*_args)
    to_s.to_json
  end

  private

  def from(time)
    @time = time
  end
end

class DateTime < Date
  def self.now
    at(Time.now)
  end

  def self.from_parts(parts)
    now = Time.now
    year, month, day, hour, minute, second, nanoseconds, offset = parts
    time = Time.utc(year || now.year, month || now.month, day || 1, hour || 0, minute || 0, second || 0)
    time += nanoseconds / 1_000_000_000.0 if nanoseconds.to_i != 0
    at((time - (offset || 0)).getlocal(offset || 0))
  end

  def self.from_seconds(seconds)
    offset = seconds[1] || 0
    at(Time.at(seconds[0] - offset).getlocal(offset))
  end

  def initialize(year = -4712, month = 1, day = 1, hour = 0, minute = 0, second = 0)
    super(year, month, day)
    @time = Time.utc(year, month, day, hour, minute, second)
  end

  def hour
    @time.hour
  end

  def minute
    @time.min
  end

  def min
    @time.min
  end

  def second
    @time.sec
  end

  def sec
    @time.sec
  end

  def to_s
    strftime('%FT%T%:z')
  end

  def iso8601
    to_s
  end

  def to_time
    @time
  end

  def to_datetime
    self
  end

  def new_offset(offset = 0)
    offset = offset.is_a?(String) ? (Time.__parse("00:00 #{offset}") || [])[7] : offset
    DateTime.at(@time.getlocal(offset || 0))
  end

  def inspect
    "#<DateTime: #{self}>"
  end
end
