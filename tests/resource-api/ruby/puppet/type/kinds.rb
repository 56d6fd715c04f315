require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'kinds',
  desc: 'Many types.',
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'A.', default: 'present' },
    name: { type: 'String', desc: 'A.', behaviour: :namevar },
    num: { type: 'Optional[Numeric]', desc: 'A.' },
    flt: { type: 'Optional[Float]', desc: 'A.' },
    any: { type: 'Any', desc: 'A.' },
    st: { type: 'Optional[Struct[{a => Integer, Optional[b] => String}]]', desc: 'A.' },
    tup: { type: 'Optional[Tuple[String, Integer]]', desc: 'A.' },
    hs: { type: 'Optional[Hash]', desc: 'A.' },
    sec: { type: 'Optional[Hash[String, Sensitive[String]]]', desc: 'A.' },
    opt: { type: 'Variant[Enum[a, b], Integer, Undef]', desc: 'A.' },
    p: { type: 'Optional[String]', desc: 'A.', behaviour: :parameter, default: 'pd' },
    n0: { type: 'Optional[Integer]', desc: 'A.', default: 0 },
  },
)
