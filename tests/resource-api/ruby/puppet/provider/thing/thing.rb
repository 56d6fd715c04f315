require 'puppet/resource_api/simple_provider'
require_relative '../../../puppet_x/store'

class Puppet::Provider::Thing::Thing < Puppet::ResourceApi::SimpleProvider
  def get(_context)
    Store.note('get', 'gets')
    Store.present
  end

  def create(context, name, should)
    context.notice("makes #{name}")
    Store.note("create #{name} #{Store.print(should)}")
    Store.put(should)
  end

  def update(context, name, should)
    context.notice("changes #{name}")
    Store.note("update #{name} #{Store.print(should)}")
    Store.put(should)
  end

  def delete(context, name)
    context.notice("removes #{name}")
    Store.note("delete #{name}")
    Store.drop({ name: name })
  end
end
