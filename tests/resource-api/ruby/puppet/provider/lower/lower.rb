require 'puppet/resource_api/simple_provider'
require_relative '../../../puppet_x/store'

class Puppet::Provider::Lower::Lower < Puppet::ResourceApi::SimpleProvider
  def canonicalize(_context, resources)
    resources.each { |r| r[:value] = r[:value].downcase if r[:value] }
  end

  def get(_context)
    Store.note('get', 'gets')
    Store.present
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
