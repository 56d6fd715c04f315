# Classes and defined types of the module gitolite.
include gitolite::client

class { 'gitolite::ssh_key':
  filename => 'x',
}

gitolite::repos { 'thing': }

gitolite::users { 'thing': }
