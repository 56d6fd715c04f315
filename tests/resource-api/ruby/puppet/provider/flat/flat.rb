require 'puppet/resource_api/simple_provider'
require_relative '../../../puppet_x/store'

class Puppet::Provider::Flat::Flat < Puppet::ResourceApi::SimpleProvider
  def get(_context)
    Store.rows
  end

  def create(_context, name, should)
    Store.note("create #{name} #{Store.print(should)}")
    Store.put(should)
  end

  def update(_context, name, should)
    Store.note("update #{name} #{Store.print(should)}")
    Store.put(should)
  end

  def delete(_context, name)
    Store.note("delete #{name}")
    Store.drop({ name: name })
  end
end
