require 'pathname'

Puppet::Type.newtype(:m_thing) do
  @doc = 'Relates itself in every way that modules do.'

  ensurable do
    desc 'Whether it exists.'
    newvalue(:present) { provider.create }
    newvalue(:absent) { provider.destroy }
    defaultto :present
  end

  newparam(:name, namevar: true) do
    desc 'Its name.'
  end

  newparam(:path) do
    desc 'Where it is.'
    munge do |value|
      value.sub(%r{/+\z}, '')
    end
    validate do |value|
      raise ArgumentError, 'relative' unless value.start_with?('/')
    end
  end

  newparam(:mode) do
    newvalues(:fast, :slow)
    defaultto :fast
  end

  newparam(:service) do
    defaultto { "svc-#{@resource[:mode]}" }
  end

  newproperty(:members, array_matching: :all) do
    desc 'Users.'
  end

  newproperty(:first)

  def parent_directories
    list = []
    Pathname.new(self[:path]).parent.ascend { |parent| list << parent.to_s }
    list
  end

  autorequire(:file) do
    next [] unless self[:path]

    parent_directories.reject { |path| path == '/' }
  end

  autorequire(:user) do
    self[:members]
  end

  autorequire(:package) { 'fast' if self[:mode] == :fast }

  autorequire(:group) do
    value(:first) if should(:first)
  end

  autorequire(:no_such_type) { ['x'] }

  autobefore(:exec) do
    catalog.resources.select { |other| other.is_a?(Puppet::Type.type(:exec)) && other[:cwd] == self[:path] }
  end

  autonotify(:service) { @parameters[:service].value }

  autosubscribe(:m_thing) do
    found = catalog.resource(:m_thing, "before #{self[:name]}")
    found && found.name
  end
end
