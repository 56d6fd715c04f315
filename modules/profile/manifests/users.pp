# @summary All people of the site, as virtual resources.
#
# @param accounts
#   Accounts by login name. Groups are tags, too: collect `User <| tag == 'dev' |>` to get the developers.
class profile::users (
  Hash[Profile::Login, Profile::Account] $accounts = {},
) {
  $accounts.each |$login, $account| {
    @user { $login:
      ensure     => present,
      uid        => $account['uid'],
      groups     => $account['groups'],
      managehome => true,
      tag        => $account['groups'],
    }

    if $account['key'] {
      @file {
        default:
          owner => $login,
          group => $login,
          tag   => $account['groups'],
        ;
        "/home/${login}/.ssh":
          ensure  => directory,
          mode    => '0700',
          require => User[$login],
        ;
        "/home/${login}/.ssh/authorized_keys":
          mode    => '0600',
          content => "ssh-ed25519 ${account['key']} ${login}@${lookup('site_domain')}\n",
      }
    }
  }

  # Operators can log in everywhere.
  User <| tag == 'ops' |>
  File <| tag == 'ops' |>
}
