# This file was automatically generated on 2026-11-23 09:25:18 +0000.
# Use the 'puppet generate types' command to regenerate this file.

Puppet::Resource::ResourceType3.new(
  'm_gone',
  [

  ],
  [
    Puppet::Resource::Param(Any, 'name'),

    Puppet::Resource::Param(Any, 'size')
  ],
  {
    /(?m-ix:(.*))/ => ['name']
  },
  true,
  false)
