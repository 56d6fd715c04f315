# This file was automatically generated on 2026-11-23 09:25:19 +0000.
# Use the 'puppet generate types' command to regenerate this file.

Puppet::Resource::ResourceType3.new(
  'm_run',
  [
    Puppet::Resource::Param(Any, 'returns')
  ],
  [
    Puppet::Resource::Param(Any, 'command', true)
  ],
  {
    /(?m-ix:(.*))/ => ['command']
  },
  false,
  false)
