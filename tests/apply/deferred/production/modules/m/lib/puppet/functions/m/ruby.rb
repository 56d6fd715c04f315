Puppet::Functions.create_function(:'m::ruby') do
  dispatch(:ruby) { param 'Any', :x }
  def ruby(x)
    "ruby #{x} #{call_function('upcase', 'nested')}"
  end
end
