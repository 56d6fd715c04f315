# Certificate and key of a virtual host.
type Webapp::Tls = Struct[{
  certificate => Webapp::Path,
  key         => Webapp::Path,
}]
