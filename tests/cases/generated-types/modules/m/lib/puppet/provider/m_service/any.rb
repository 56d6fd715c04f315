Puppet::Type.type(:m_service).provide(:any) do
end
