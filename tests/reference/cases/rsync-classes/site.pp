# Classes and defined types of the module rsync.
include rsync
include rsync::repo
include rsync::server

rsync::get { 'thing':
  source => 'x',
  user => 'x',
  purge => 'x',
  recursive => 'x',
  links => 'x',
  hardlinks => 'x',
  copylinks => 'x',
  times => 'x',
  include => 'x',
  exclude => 'x',
  exclude_first => false,
  keyfile => 'x',
  chown => 'x',
  chmod => 'x',
  logfile => 'x',
  onlyif => 'x',
}
