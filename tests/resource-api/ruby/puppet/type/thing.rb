require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'thing',
  desc: 'An instance of every behaviour.',
  attributes: {
    ensure: { type: 'Enum[absent, present]', desc: 'Whether it is there.', default: 'present' },
    name: { type: 'String', desc: 'Its name.', behaviour: :namevar },
    flag: { type: 'Optional[Boolean]', desc: 'A flag.' },
    force: { type: 'Optional[Boolean]', desc: 'How to do it.', behaviour: :parameter },
    list: { type: 'Optional[Array[String]]', desc: 'Several.' },
    num: { type: 'Optional[Integer]', desc: 'A number.', default: 5 },
    once: { type: 'Optional[String]', desc: 'Only at creation.', behaviour: :init_only },
    ro: { type: 'Optional[String]', desc: 'Only to read.', behavior: :read_only },
    secret: { type: 'Optional[Sensitive[String]]', desc: 'Not to show.' },
    value: { type: 'Optional[String]', desc: 'A text.' },
  },
)
