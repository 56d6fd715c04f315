# frozen_string_literal: true

require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'thing',
  desc: 'A file with a number.',
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'Whether it exists.', default: 'present' },
    name: { type: 'String', desc: 'The name of its file.', behaviour: :namevar },
    value: { type: 'Optional[Integer]', desc: 'The number.' },
  },
)
