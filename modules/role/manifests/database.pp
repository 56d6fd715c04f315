# @summary Keeps the web application's data.
#
# @param cache
#   How much memory the database may use for its buffers.
class role::database (
  Pattern[/\A\d+[MG]B\z/] $cache = '256MB',
) {
  contain profile::base

  class { 'profile::database':
    settings => { 'shared_buffers' => $cache },
    require  => Class['profile::base'],
  }
  contain profile::database
}
