# This file was automatically generated on 2026-11-23 09:25:18 +0000.
# Use the 'puppet generate types' command to regenerate this file.

# A key in a section of a file.
Puppet::Resource::ResourceType3.new(
  'm_key',
  [
    Puppet::Resource::Param(Any, 'value')
  ],
  [
    Puppet::Resource::Param(Any, 'section', true),

    Puppet::Resource::Param(Any, 'key', true)
  ],
  {
    /^([^:]+)::([^:]+)$/ => ['section', 'key'],
    /^([^:]+)$/ => ['key']
  },
  true,
  false)
