require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'picky',
  desc: 'A type whose provider fails.',
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'Whether it is there.', default: 'present' },
    name: { type: 'String', desc: 'Its name.', behaviour: :namevar },
    value: { type: 'Optional[String]', desc: 'A text.' },
  },
)
