Puppet::Functions.create_function(:'m::scope', Puppet::Functions::InternalFunction) do
  dispatch(:names) { scope_param }
  def names(scope)
    scope.to_hash.keys.sort.join(' ')
  end
end
