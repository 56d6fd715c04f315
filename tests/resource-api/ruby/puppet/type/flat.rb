require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'flat',
  desc: 'A type without ensure.',
  attributes: {
    name: { type: 'String', desc: 'Its name.', behaviour: :namevar },
    value: { type: 'Optional[String]', desc: 'A text.' },
  },
)
