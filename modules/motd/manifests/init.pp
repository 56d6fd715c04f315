# @summary The banner people see when they log in.
#
# @param contact
#   Whom to ask about this machine.
# @param directory
#   Holds one file for each message.
class motd (
  Optional[String[1]] $contact   = undef,
  String[1]           $directory = '/etc/motd.d',
) {
  file { $directory:
    ensure  => directory,
    purge   => true,
    recurse => true,
  }

  file { '/etc/motd':
    content => motd::banner("Welcome to ${facts['networking']['hostname']}"),
  }

  $contact.then |$who| {
    motd::message { 'contact':
      weight => 99,
      text   => "Questions? ${who}",
    }
  }
}
