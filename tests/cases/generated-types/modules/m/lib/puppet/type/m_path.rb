Puppet::Type.newtype(:m_path) do
  newparam(:path) do
    isnamevar
  end
  newproperty(:mode)
end
