Puppet::Functions.create_function(:'tools::lines') do
  dispatch :lines do
    repeated_param 'Any', :args
    return_type 'String'
  end

  def lines(*args)
    args.map { |key, value| "#{key}=#{value.inspect}" }.join(';')
  end
end
