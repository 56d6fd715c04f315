require_relative '../../../puppet_x/store'

class Puppet::Provider::Software::Software
  def get(_context, names = nil)
    Store.note("get #{Store.print(names)}", 'gets')
    Store.present.map { |row| row.key?(:title) ? row : { title: "#{row[:package]}-#{row[:manager]}" }.merge(row) }
  end

  def set(context, changes)
    changes.each do |name, change|
      Store.note("set #{Store.print(name)} is=#{Store.print(change[:is])} should=#{Store.print(change[:should])}")
      if change[:should][:ensure] == 'present'
        context.updating(name) { Store.put(change[:should], [:package, :manager]) }
      else
        context.deleting(name) { Store.drop(name, [:package, :manager]) }
      end
    end
  end
end
