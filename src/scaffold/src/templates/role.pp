# @summary What every server gets
class role::server {
  include profile::base
}
