# This file was automatically generated on 2026-11-23 09:25:19 +0000.
# Use the 'puppet generate types' command to regenerate this file.

# A service.
# 
# m_service { 'x': ensure => running }
Puppet::Resource::ResourceType3.new(
  'm_service',
  [
    # Valid values are `running` (also called `true`), `stopped`.
    Puppet::Resource::Param(Variant[Boolean, Enum['running', 'true', 'stopped']], 'ensure'),

    # Valid values are `low`. Values can match `/^\d+$/`.
    Puppet::Resource::Param(Variant[Enum['low'], Pattern[/^\d+$/]], 'level')
  ],
  [
    # What it is called.
    Puppet::Resource::Param(Any, 'name', true),

    # Whether "it" is made to.
    # 
    # Valid values are `true`, `false`.
    Puppet::Resource::Param(Variant[Boolean, Enum['true', 'false']], 'force'),

    Puppet::Resource::Param(Any, 'secret'),

    # The specific backend to use for this `m_service`
    # resource. You will seldom need to specify this --- Puppet will usually
    # discover the appropriate provider for your platform.Available providers are:
    # 
    # any
    # :
    Puppet::Resource::Param(Any, 'provider')
  ],
  {
    /(?m-ix:(.*))/ => ['name']
  },
  true,
  false)
