require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'm_api',
  docs: 'A type of the Resource API.',
  features: [],
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'Whether it exists.', default: 'present' },
    name: { type: 'String', desc: 'Its name.', behaviour: :namevar },
    path: { type: 'Optional[String]', desc: 'Where it is.' },
  },
  autorequire: { file: '$path', package: ['fast', 'slow'] },
  autobefore: { service: 'svc-fast' },
)
