require_relative '../../../puppet_x/store'

class Puppet::Provider::Canon::Canon
  def canonicalize(_context, resources)
    resources.map do |r|
      raise 'not canonical' if r[:how] == 'raise'
      r[:name] = r[:name].downcase if r[:name]
      r[:value] = r[:value].strip if r[:value]
      r
    end
  end

  def get(_context, names = nil)
    Store.note("get #{Store.print(names)}", 'gets')
    Store.present
  end

  def set(context, changes)
    changes.each do |name, change|
      Store.note("set #{name} is=#{Store.print(change[:is])} should=#{Store.print(change[:should])}")
      context.processing(name, change[:is][:value], change[:should][:value]) { Store.put(change[:should]) }
    end
  end
end
