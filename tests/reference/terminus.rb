# Loaded before oracle.rb (`ruby -r ./terminus.rb oracle.rb …`): every native catalog it answers with gets one more key,
# `puppetdb`: what PuppetDB's own terminus (Debian: puppet-terminus-puppetdb) would send for it, wire format 9, or
# {"error": message}. Nothing is sent.
require 'puppet'
require 'puppet/util/puppetdb'
require 'puppet/indirector/catalog/puppetdb'

# Adds the terminus' view while the catalog turns itself into the native form.
module WithPuppetdb
  def to_data_hash
    native = super
    return native if Puppet.lookup(:stringify_rich) { false }

    native.merge('puppetdb' => munged)
  end

  private

  def munged
    terminus = Puppet::Resource::Catalog::Puppetdb.new
    uuid = '00000000-0000-4000-8000-000000000000'
    terminus.munge_catalog(self, Time.now, transaction_uuid: uuid, job_id: nil, environment: environment.to_s).first
  rescue Puppet::Error => e
    { 'error' => e.message }
  end
end

Puppet::Resource::Catalog.prepend(WithPuppetdb)
