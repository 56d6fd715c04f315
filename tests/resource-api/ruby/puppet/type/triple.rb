require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'triple',
  desc: 'Three names.',
  title_patterns: [
    { pattern: %r{^(?<host>[^:]+):(?<port>\d+)/(?<path>.*)$}, desc: 'x' },
    { pattern: %r{^(?<host>[^:]+)(:(?<port>\d+))?$}, desc: 'x' },
  ],
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'A.', default: 'present' },
    host: { type: 'String', desc: 'A.', behaviour: :namevar },
    port: { type: 'Optional[String]', desc: 'A.', behaviour: :namevar },
    path: { type: 'Optional[String]', desc: 'A.', behaviour: :namevar },
    value: { type: 'Optional[String]', desc: 'A.' },
  },
)
