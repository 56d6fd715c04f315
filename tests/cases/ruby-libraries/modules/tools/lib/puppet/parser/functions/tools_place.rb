module Puppet::Parser::Functions
  newfunction(:tools_place, :type => :rvalue) do |args|
    found = Puppet::Module.find(args[0], compiler.environment.to_s)
    found ? [found.name, File.basename(found.path), File.exist?(found.path + '/data/x.yaml')].join(' ') : 'none'
  end
end
