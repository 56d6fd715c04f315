# Loaded before oracle.rb (`ruby -r ./terminus.rb oracle.rb …`): adds the key `puppetdb` to every native catalog: the document that
# PuppetDB's terminus (Debian: puppet-terminus-puppetdb) would send for it, in wire format 9, or {"error": message}. Nothing is
# sent.
require 'puppet'
require 'puppet/util/puppetdb'
require 'puppet/indirector/catalog/puppetdb'

# Adds the terminus's document while the catalog is converted to the native format.
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
