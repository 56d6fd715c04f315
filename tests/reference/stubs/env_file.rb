# frozen_string_literal: true

# Replaces modules/webapp/scripts/hiera/env_file.rhai, which Puppet cannot run.
Puppet::Functions.create_function(:'webapp::env_file') do
  dispatch :lookup_key do
    param 'String[1]', :key
    param 'Hash', :options
    param 'Puppet::LookupContext', :context
  end

  def lookup_key(key, options, context)
    name = key.upcase.gsub('::', '__')
    value = File.readlines(options['path'], chomp: true).filter_map { |line| line.strip[/\A#{Regexp.escape(name)}=(.*)/, 1] }.last
    value ? context.interpolate(value) : context.not_found
  end
end
