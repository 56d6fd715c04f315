require_relative '../../../puppet_x/store'

class Puppet::Provider::Say::Say
  def get(_context)
    Store.present
  end

  def set(context, changes)
    changes.each do |name, change|
      Store.put(change[:should])
      context.notice(5)
      context.notice([1, 'two', nil, true])
      context.notice(nil)
      context.notice(name, 1.5)
      context.notice(name, true)
      context.notice([name], ['x', 2])
      context.created([name], message: 'Made')
      context.attribute_changed(name, 'list', ['a'], ['a', 'b'])
      context.attribute_changed(name, 'float', 1.5, 2.0)
      context.attribute_changed(name, 'hash', { 'a' => 1 }, nil)
      context.attribute_changed(name, 'bool', true, false)
      context.attribute_changed(name, 'empty', '', [])
      context.processed(name, { 'a' => 1 }, [1, nil])
      context.processed(name, nil, true)
      context.processing(name, nil, [1]) { context.info('quiet') }
      context.processing(name, 1, 2, message: 'Handling') { raise 'bad' }
      context.failed([name], message: 'lost')
      context.failed(name, message: 5)
      context.updating([name], message: 'Several') { context.creating(name) { raise 'inner' } }
    end
  end
end
