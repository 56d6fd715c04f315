require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'software',
  docs: 'Packages of several managers.',
  features: ['simple_get_filter'],
  title_patterns: [
    {
      pattern: %r{^(?<package>.*[^-])-(?<manager>.*)$},
      desc: 'Where the package and the manager are provided with a hyphen separator',
    },
    {
      pattern: %r{^(?<package>.*)$},
      desc: 'Where only the package is provided',
    },
  ],
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'Whether it is installed.', default: 'present' },
    package: { type: 'String', desc: 'The package.', behaviour: :namevar },
    manager: { type: 'String', desc: 'The system used to install it.', behaviour: :namevar },
    version: { type: 'Optional[String]', desc: 'Its version.' },
  },
)
