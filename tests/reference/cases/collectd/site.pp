# A module whose class chain is contained, with defaults by distribution and a line in a file it does not own.
class { 'collectd':
  purge           => true,
  recurse         => true,
  minimum_version => '5.8',
  interval        => 30,
  fqdnlookup      => false,
}
