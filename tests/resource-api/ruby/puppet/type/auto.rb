require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'auto',
  desc: 'A type with automatic relations.',
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'Whether it is there.', default: 'present' },
    name: { type: 'String', desc: 'Its name.', behaviour: :namevar },
    needs: { type: 'Optional[Variant[String, Array[String]]]', desc: 'What comes before it.' },
    tells: { type: 'Optional[String]', desc: 'What it notifies.' },
    waits: { type: 'Optional[String]', desc: 'What comes after it.' },
  },
  autorequire: { lower: '$needs', thing: 'base' },
  autobefore: { lower: '$waits' },
  autonotify: { exec: '$tells' },
  autosubscribe: { notify: ['hello', '$name'] },
)
