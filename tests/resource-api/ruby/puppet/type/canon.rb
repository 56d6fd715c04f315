require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'canon',
  desc: 'Canonical in several ways.',
  features: ['canonicalize', 'simple_get_filter'],
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'A.', default: 'present' },
    name: { type: 'String', desc: 'A.', behaviour: :namevar },
    how: { type: 'Optional[String]', desc: 'A.', behaviour: :parameter },
    value: { type: 'Optional[String]', desc: 'A.' },
  },
)
