# Modes of files in letters, as Puppet's `Puppet::Util::SymbolicFileMode` reads them.

module Puppet::Util::SymbolicFileMode
  BITS = { 'r' => 4, 'w' => 2, 'x' => 1 }.freeze
  PLACES = { 'u' => 6, 'g' => 3, 'o' => 0 }.freeze
  SPECIAL = { 's' => { 'u' => 4, 'g' => 2, 'o' => 1 }, 't' => { 'u' => 1, 'g' => 1, 'o' => 1 } }.freeze

  def valid_symbolic_mode?(value)
    text = normalize_symbolic_mode(value)
    part = '[ugoa]*[-=+][-=+rstwxXugo]*'
    text =~ /^0?[0-7]{1,4}$/ || text =~ /^(#{part})(,#{part})*$/ ? true : false
  end

  def display_mode(value)
    value =~ /^0?[0-7]{1,4}$/ ? value.rjust(4, '0') : value
  end

  def normalize_symbolic_mode(value)
    return nil if value.nil?
    return value.to_s(8) if value.is_a?(Numeric)

    value =~ /^0?[0-7]{1,4}$/ ? value.to_i(8).to_s(8) : value
  end

  def symbolic_mode_to_int(modification, to_mode = 0, is_a_directory = false)
    raise Puppet::Error, 'An empty mode string is illegal' if modification.nil? || modification == ''
    return modification.to_i(8) if modification =~ /^[0-7]+$/
    raise Puppet::Error, 'Numeric modes must be in octal, not decimal!' if modification =~ /^\d+$/
    raise "non-numeric current mode (#{to_mode.inspect})" unless to_mode.is_a?(Numeric)

    mode = { 's' => to_mode >> 9 & 7 }
    PLACES.each { |who, shift| mode[who] = to_mode >> shift & 7 }
    searchable = is_a_directory || to_mode & 0o111 != 0
    modification.split(/\s*,\s*/).each do |part|
      begin
        __file_mode_part(part, mode, searchable)
      rescue Puppet::Error => e
        at = part.inspect == modification.inspect ? '' : " at #{part.inspect}"
        raise Puppet::Error, "#{e}#{at} in symbolic mode #{modification.inspect}"
      end
    end
    PLACES.reduce(mode['s'] << 9) { |all, (who, shift)| all | mode[who] << shift }
  end

  # One part between commas. All of it sees the mode as it was before the part.
  def __file_mode_part(part, mode, searchable)
    whole, to, does = /^([ugoa]*)([-+=].*)$/.match(part).to_a
    raise Puppet::Error, 'Missing action' if whole.nil?

    before = mode.dup
    to = 'a' if to.empty?
    to.gsub('a', 'ugo').split('').uniq.each do |who|
      value = before[who]
      action = nil
      change = lambda { |old, bits| action == '-' ? old & ~bits : old | bits }
      does.split('').each do |letter|
        case letter
        when '-', '+', '='
          action = letter
          value = 0 if letter == '='
        when 'u', 'g', 'o' then value = change.call(value, before[letter])
        when 'r', 'w', 'x' then value = change.call(value, BITS[letter])
        when 'X'
          raise Puppet::Error, "X only works with the '+' operator" unless action == '+'

          value = change.call(value, 1) if searchable
        when 's', 't' then mode['s'] = change.call(mode['s'], SPECIAL[letter][who])
        else raise Puppet::Error, 'Unknown operation'
        end
      end
      mode[who] = value
    end
  end
end
