module Puppet::Parser::Functions
  newfunction(:legacy, type: :rvalue) { |args| "legacy #{args.join('+')} #{lookupvar('facts')['kernel']}" }
end
