require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'say',
  desc: 'Says values.',
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'A.', default: 'present' },
    name: { type: 'String', desc: 'A.', behaviour: :namevar },
    value: { type: 'Optional[String]', desc: 'A.' },
    num: { type: 'Optional[Integer]', desc: 'A.' },
  },
)
