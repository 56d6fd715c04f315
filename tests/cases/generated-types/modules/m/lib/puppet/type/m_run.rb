Puppet::Type.newtype(:m_run) do
  def self.isomorphic?
    false
  end
  newparam(:command, namevar: true)
  newproperty(:returns, array_matching: :all)
end
