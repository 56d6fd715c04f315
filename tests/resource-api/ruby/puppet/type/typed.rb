require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'typed',
  desc: 'Attributes of many types.',
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'Whether it is there.', default: 'present' },
    name: { type: 'Pattern[/\A[a-z]+\z/]', desc: 'Its name.', behaviour: :namevar },
    any: { type: 'Optional[Variant[Integer, Boolean]]', desc: 'Either.' },
    level: { type: 'Optional[Enum[low, high]]', desc: 'One of two.' },
    off: { type: 'Boolean', desc: 'A flag.', default: false },
    on: { type: 'Boolean', desc: 'A flag.', default: true },
    port: { type: 'Optional[Integer[1, 65535]]', desc: 'A number.' },
    opts: { type: 'Optional[Hash[String, Integer]]', desc: 'Options.' },
    words: { type: 'Optional[Array[String[1]]]', desc: 'Words.' },
  },
)
