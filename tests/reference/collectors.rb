# frozen_string_literal: true

# Queries of collectors, for the reference: load this before oracle.rb. Searches of exported resources go to PuppetDB's own terminus,
# which finds nothing; the path of each request is appended to the file that REQUESTS names.

require 'puppet'
require 'puppet/resource'
require 'puppet/indirector/resource/puppetdb'

Response = Struct.new(:body) do
  def success?
    true
  end

  def [](_header)
    nil
  end
end

class << Puppet::Util::Puppetdb::Http
  def action(path, _mode)
    File.write(ENV['REQUESTS'], "#{path}\n", mode: 'a')
    yield(Class.new { def get(*, **) = Response.new('[]') }.new, URI("https://puppetdb:8081#{path}"), nil)
  end
end

class << Puppet::Resource.indirection
  def search(type, options)
    terminus = Puppet::Resource::Puppetdb.allocate
    terminus.search(Puppet::Indirector::Request.new(:resource, :search, type, nil, options))
  end
end
