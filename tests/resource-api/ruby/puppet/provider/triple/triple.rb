require 'puppet/resource_api/simple_provider'
require_relative '../../../puppet_x/store'

class Puppet::Provider::Triple::Triple < Puppet::ResourceApi::SimpleProvider
  def get(_context)
    Store.present.map { |row| { title: "#{row[:host]}:#{row[:port]}/#{row[:path]}" }.merge(row) }
  end

  def create(_context, name, should)
    Store.note("create #{Store.print(name)} #{Store.print(should)}")
  end

  def update(_context, name, should)
    Store.note("update #{Store.print(name)} #{Store.print(should)}")
  end

  def delete(_context, name)
    Store.note("delete #{Store.print(name)}")
  end
end
