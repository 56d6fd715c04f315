require 'openssl'
require 'base64'

Puppet::Functions.create_function(:'tools::digests') do
  def digests(text, salt)
    key = OpenSSL::KDF.pbkdf2_hmac(text, salt: salt, iterations: 20, length: 32, hash: OpenSSL::Digest.new('SHA256'))
    old = OpenSSL::PKCS5.pbkdf2_hmac(text, salt, 20, 16, OpenSSL::Digest.new('SHA512'))
    hmac = OpenSSL::HMAC.new(key, OpenSSL::Digest.new('SHA256'))
    hmac << 'Client ' << 'Key'
    parts = Digest::SHA1.new
    parts << text
    parts.update(salt)
    {
      'key' => Base64.strict_encode64(key),
      'old' => old.unpack('H*').first,
      'hmac' => "#{hmac.hexdigest}",
      'again' => "#{OpenSSL::HMAC.hexdigest('md5', text, salt)}",
      'nested' => Base64.strict_encode64(OpenSSL::Digest.new('SHA256').digest(hmac.digest)),
      'parts' => parts.hexdigest,
      'md5' => OpenSSL::Digest::MD5.hexdigest(text),
    }
  end
end
