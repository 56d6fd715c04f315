require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'loggy',
  desc: 'A type whose provider says things.',
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'Whether it is there.', default: 'present' },
    name: { type: 'String', desc: 'Its name.', behaviour: :namevar },
    mode: { type: 'String', desc: 'What to say.', behaviour: :parameter },
    value: { type: 'Optional[String]', desc: 'A text.' },
  },
)
