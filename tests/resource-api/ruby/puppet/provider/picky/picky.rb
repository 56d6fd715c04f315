require 'puppet/resource_api/simple_provider'
require_relative '../../../puppet_x/store'

class Puppet::Provider::Picky::Picky < Puppet::ResourceApi::SimpleProvider
  def get(_context)
    Store.present
  end

  def create(context, name, should)
    raise "cannot make #{name}" if should[:value] == 'bad'
    context.warning('made')
    Store.put(should)
  end

  def update(_context, name, _should)
    raise "cannot change #{name}"
  end

  def delete(_context, name)
    raise "cannot remove #{name}"
  end
end
