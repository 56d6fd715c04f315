Puppet::Functions.create_function(:"plug::rubyish") do
  dispatch :go do
    param "String", :text
  end

  def go(text)
    text * 2
  end
end
