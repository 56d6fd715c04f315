Puppet::Functions.create_function(:'tools::own', Puppet::Functions::InternalFunction) do
  dispatch :own do
    scope_param
    repeated_param 'String', :without
  end

  def own(scope, *without)
    without << 'name'
    found = scope.resource.to_hash.collect { |key, value| [key.to_s, value] }.to_h
    [scope.resource.to_s, scope.resource.type, scope.resource[:one], found.reject { |key, _| without.include?(key) }]
  end
end
