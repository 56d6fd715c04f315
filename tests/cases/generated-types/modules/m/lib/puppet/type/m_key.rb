Puppet::Type.newtype(:m_key) do
  desc 'A key in a section of a file.'

  def self.title_patterns
    [
      [%r{^([^:]+)::([^:]+)$}, [[:section], [:key]]],
      [%r{^([^:]+)$}, [[:key]]],
    ]
  end

  newparam(:section, namevar: true)
  newparam(:key, namevar: true)
  newproperty(:value)
end
