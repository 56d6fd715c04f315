# @summary Serves the web application.
class role::web {
  contain profile::base
  contain profile::web

  Class['profile::base'] -> Class['profile::web']
}
