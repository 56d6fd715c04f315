# The module's defined types for artifact stores.
include archive
archive::nexus { '/tmp/hawtio.war':
  url        => 'https://oss.example.org',
  gav        => 'io.hawt:hawtio-web:1.4.36',
  repository => 'releases',
  packaging  => 'war',
  extract    => false,
}
archive::nexus { '/tmp/other.zip':
  url        => 'https://oss.example.org',
  gav        => 'org.example:other:2.0',
  repository => 'releases',
  packaging  => 'zip',
  extract    => true,
  extract_path => '/srv/other',
  use_nexus3_urls => true,
}
