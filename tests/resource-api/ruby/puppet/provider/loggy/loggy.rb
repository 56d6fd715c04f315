require_relative '../../../puppet_x/store'

class Puppet::Provider::Loggy::Loggy
  def get(_context)
    Store.present
  end

  def set(context, changes)
    changes.each do |name, change|
      say(context, change[:should][:mode], name, change[:is], change[:should])
      Store.put(change[:should])
    end
  end

  def say(context, mode, name, is, should)
    case mode
    when 'plain'
      context.debug('a debug')
      context.info('an info')
      context.notice('a notice')
      context.warning('a warning')
      context.err('an err')
    when 'titled'
      context.debug(name, 'a debug')
      context.info(name, 'an info')
      context.notice(name, 'a notice')
      context.warning(name, 'a warning')
      context.err(name, 'an err')
      context.notice([name, name], 'for two')
      context.notice([], 'for none')
    when 'actions'
      context.created(name)
      context.updated(name)
      context.deleted(name)
      context.created(name, message: 'Made')
      context.updated([name, name])
      context.processed(name, 'old', 'new')
      context.failed(name)
      context.failed(name, message: 'It went wrong')
    when 'attributes'
      context.attribute_changed(name, 'value', 'a', 'b')
      context.attribute_changed(name, 'value', nil, 'b')
      context.attribute_changed(name, 'value', 'a', nil)
      context.attribute_changed(name, 'num', 1, 2)
      context.attribute_changed(name, 'flag', false, true)
      context.attribute_changed(name, 'value', 'a', 'b', message: 'because')
    when 'blocks'
      context.creating(name) { context.notice('in creating') }
      context.updating(name) { context.warning('in updating') }
      context.deleting(name) { context.err('in deleting') }
      context.processing(name, 'old', 'new') { context.notice('in processing') }
      context.failing(name) { context.notice('in failing') }
      context.notice('after')
    when 'blocks-message'
      context.creating(name, message: 'Building') { context.notice('in creating') }
      context.updating(name, message: 'Changing') { context.notice('in updating') }
      context.deleting(name, message: 'Burning') { context.notice('in deleting') }
      context.processing(name, 'old', 'new', message: 'Handling') { context.notice('in processing') }
      context.failing(name, message: 'Giving up') { context.notice('in failing') }
      context.updating([name, name]) { context.notice('in updating') }
    when 'debug-blocks'
      context.updating(name) { context.debug('in updating') }
      context.processing(name, 'old', 'new') { context.debug('in processing') }
    when 'titled-in-block'
      context.updating(name) do
        context.notice(name, 'titled')
        context.attribute_changed(name, 'value', 'a', 'b')
        context.updated(name)
      end
    when 'raise'
      raise 'boom'
    when 'raise-creating'
      context.creating(name) { raise 'boom' }
      context.notice('after')
    when 'raise-updating'
      context.updating(name) do
        context.warning('before')
        raise 'boom'
      end
      context.notice('after')
    when 'raise-deleting'
      context.deleting(name) { raise 'boom' }
    when 'raise-processing'
      context.processing(name, 'old', 'new') { raise 'boom' }
    when 'raise-failing'
      context.failing(name) { raise 'boom' }
    when 'processing-two'
      context.processing([name, name], 'old', 'new') { context.notice('never') }
    when 'attribute-two'
      context.attribute_changed([name, name], 'value', 'a', 'b')
    when 'foreign'
      context.notice('somebody', 'not asked for')
      context.updating('somebody') { context.notice('in updating') }
      context.updated('somebody')
    when 'nested'
      context.updating(name) do
        context.notice('outer')
        context.creating(name) { context.notice('inside') }
        context.notice('outer again')
      end
    when 'unchanged'
      context.unchanged(name)
    when 'no-block'
      context.updating(name)
      context.notice('after')
    when 'returns'
      Store.note("updating gives #{Store.print(context.updating(name) { 42 })}")
    when 'fatal'
      context.updating(name) { raise Exception, 'the end' } # rubocop:disable Lint/RaiseException
    when 'type'
      Store.note("name #{context.type.name}")
      Store.note("attributes #{context.type.attributes.keys.sort.join(' ')}")
      Store.note("mode #{context.type.attributes[:mode][:type]} #{context.type.attributes[:mode][:behaviour]}")
      Store.note("default #{context.type.attributes[:ensure][:default]}")
      Store.note("ensurable #{context.type.ensurable?}")
      Store.note("canonicalize #{context.type.feature?('canonicalize') ? true : false}")
      Store.note("namevars #{context.type.namevars.join(' ')}")
    when 'is-should'
      Store.note("is=#{Store.print(is)} should=#{Store.print(should)}")
    end
  end
end
