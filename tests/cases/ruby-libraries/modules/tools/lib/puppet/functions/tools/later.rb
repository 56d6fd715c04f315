Puppet::Functions.create_function(:'tools::later') do
  def later(list)
    require File.expand_path('../../../puppet_x/tools/more', File.dirname(__FILE__))
    PuppetX::Tools.twice(list)
  end
end
