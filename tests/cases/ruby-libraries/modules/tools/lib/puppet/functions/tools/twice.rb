$LOAD_PATH.unshift(File.join(File.dirname(__FILE__), '..', '..', '..'))
require 'puppet_x/tools/more'

Puppet::Functions.create_function(:'tools::twice') do
  def twice(list)
    PuppetX::Tools.twice(list)
  end
end
