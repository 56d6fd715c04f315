require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'getter',
  desc: 'A type whose provider reads badly.',
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'Whether it is there.', default: 'present' },
    name: { type: 'String', desc: 'Its name.', behaviour: :namevar },
    num: { type: 'Optional[Integer]', desc: 'A number.' },
    value: { type: 'Optional[String]', desc: 'A text.' },
  },
)
