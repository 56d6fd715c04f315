require_relative '../../../puppet_x/tools/words.rb'

Puppet::Functions.create_function(:'tools::joined') do
  dispatch :joined do
    param 'Array[String]', :list
    return_type 'String'
  end

  def joined(list)
    [Puppet::Tools::Words.joined(list), Puppet::Tools::Words.where, Puppet::Tools::Counter.new(2).add.add(3).count].join(' ')
  end
end
