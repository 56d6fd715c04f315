require_relative '../../../puppet_x/store'

class Puppet::Provider::Getter::Getter
  def get(_context)
    Store.note('get', 'gets')
    rows = Store.present
    raise 'cannot read' if rows.any? { |row| row[:name] == 'RAISE' }
    return nil if rows.any? { |row| row[:name] == 'NIL' }
    return 'text' if rows.any? { |row| row[:name] == 'TEXT' }
    rows.each { |row| row.merge!(1 => 2, '1' => 3) if row[:name] == 'KEYS' }
  end

  def set(context, changes)
    changes.each do |name, change|
      Store.note("set #{name} is=#{Store.print(change[:is])} should=#{Store.print(change[:should])}")
      context.updating(name) { Store.put(change[:should]) }
    end
  end
end
