# @summary The one machine people log in to from outside.
class role::bastion {
  contain profile::base
  contain profile::bastion
}
