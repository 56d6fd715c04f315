# Classes and defined types of the module openssl.
include openssl
include openssl::packages

openssl::export::pkcs12 { 'thing':
  basedir => 'x',
  pkey => 'a_secret',
  cert => 'x',
  chaincert => true,
  in_pass => true,
  out_pass => true,
}

openssl::certificate::x509 { 'thing':
  country => 'x',
  organization => 'x',
  commonname => 'x',
}
