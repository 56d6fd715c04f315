Puppet::Type.newtype(:m_service) do
  @doc = "A service.

    m_service { 'x': ensure => running }"

  ensurable do
    newvalue(:running)
    newvalue(:stopped)
    aliasvalue(:true, :running)
  end

  newparam(:name, namevar: true) do
    desc 'What it is called.'
  end

  newparam(:force, boolean: true) do
    desc 'Whether "it" is made to.'
    newvalues(:true, :false)
  end

  newproperty(:level) do
    newvalues(:low, %r{^\d+$})
  end

  newparam(:secret)

  newparam(:newer)
end
