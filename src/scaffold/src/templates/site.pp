node default {
  include role::server
}
