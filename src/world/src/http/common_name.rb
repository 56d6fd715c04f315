# Asks Ruby's OpenSSL which certificates are those of a host, as Puppet does: ruby common_name.rb > common_name.json
# `by_common_name`: the certificate is that of the host, and no alternative name of a host or an address decides.
require 'json'
require 'openssl'

KEY = OpenSSL::PKey::EC.generate('prime256v1')

def certificate(common_names, alternative)
  cert = OpenSSL::X509::Certificate.new
  cert.version = 2
  cert.serial = 1
  cert.subject = OpenSSL::X509::Name.new([['O', 'example', OpenSSL::ASN1::UTF8STRING]] + common_names.map { |name| ['CN', name, OpenSSL::ASN1::UTF8STRING] })
  cert.issuer = OpenSSL::X509::Name.new([['CN', 'ca']])
  cert.public_key = KEY
  cert.not_before = Time.utc(2026, 1, 1)
  cert.not_after = Time.utc(2126, 1, 1)
  factory = OpenSSL::X509::ExtensionFactory.new
  cert.add_extension(factory.create_extension('basicConstraints', 'CA:FALSE', true))
  cert.add_extension(factory.create_extension('subjectAltName', alternative)) if alternative
  cert.sign(KEY, 'SHA256')
end

CASES = [
  [['puppetdb.example.com'], nil, ['puppetdb.example.com', 'PuppetDB.Example.COM', 'puppetdb.example.com.', 'other.example.com', 'example.com', 'a.puppetdb.example.com']],
  [['PuppetDB.Example.com'], nil, ['puppetdb.example.com']],
  [['puppetdb.example.com.'], nil, ['puppetdb.example.com']],
  [['localhost'], nil, ['localhost', 'LOCALHOST', 'localhost.example.com']],
  [['Localhost'], nil, ['localhost', 'Localhost']],
  [['127.0.0.1'], nil, ['127.0.0.1', '127.0.0.2']],
  [['*.0.0.1'], nil, ['127.0.0.1']],
  [['::1'], nil, ['[::1]']],
  [['other', 'db.example.com'], nil, ['db.example.com', 'other']],
  [['*.example.com'], nil, ['db.example.com', 'a.db.example.com', 'example.com', 'xn--bcher-kva.example.com']],
  [['*'], nil, ['db', 'db.example.com']],
  [['*.com'], nil, ['example.com', 'db.example.com']],
  [['db*.example.com'], nil, ['db1.example.com', 'db.example.com', 'web1.example.com', 'DB12.example.com']],
  [['*db.example.com'], nil, ['mydb.example.com', 'db.example.com']],
  [['d*b.example.com'], nil, ['dxxb.example.com', 'db.example.com', 'dbb.example.com']],
  [['d*d.example.com'], nil, ['d.example.com', 'dd.example.com', 'dxd.example.com']],
  [['**.example.com'], nil, ['db.example.com']],
  [['db.*.com'], nil, ['db.example.com']],
  [['x*.example.com'], nil, ['xn--bcher-kva.example.com', 'xyz.example.com']],
  [['xn--*.example.com'], nil, ['xn--bcher-kva.example.com']],
  [['bücher.example.com'], nil, ['xn--bcher-kva.example.com']],
  [["db.example.com\0.evil.org"], nil, ['db.example.com', 'db.example.com.evil.org']],
  [['.example.com'], nil, ['db.example.com']],
  [[], nil, ['db.example.com']],
  [['db.example.com'], 'DNS:db.example.com', ['db.example.com', 'web.example.com']],
  [['db.example.com'], 'DNS:other.example.com', ['db.example.com']],
  [['db.example.com'], 'IP:127.0.0.1', ['db.example.com', '127.0.0.1']],
  [['127.0.0.1'], 'IP:127.0.0.2', ['127.0.0.1']],
  [['db.example.com'], 'email:a@example.com', ['db.example.com', 'web.example.com']],
  [['db.example.com'], 'URI:https://other.example.com/', ['db.example.com']],
  [['db.example.com'], 'email:a@example.com,DNS:other.example.com', ['db.example.com']],
].freeze

rows = CASES.flat_map do |common_names, alternative, hosts|
  cert = certificate(common_names, alternative)
  hosts.map do |host|
    is_accepted = begin
      OpenSSL::SSL.verify_certificate_identity(cert, host)
    rescue NoMethodError # An empty label: the connection fails.
      false
    end
    { common_names: common_names, alternative: alternative, host: host,
      by_common_name: is_accepted && alternative !~ /DNS|IP/ || false, certificate: [cert.to_der].pack('m0') }
  end
end
puts '[', rows.map { |row| JSON.generate(row) }.join(",\n"), ']'
