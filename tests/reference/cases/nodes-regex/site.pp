# Node blocks: a literal name loses to nothing, a regular expression gives match variables, default is last.
node default { fail('not the default node') }
node 'web1.example.com', 'web2.example.com' { include ntp }
node /^db(\d+)\.(.*)$/ {
  notify { "database number ${1} of ${2}": }
  include mysql::client
  if 'db1' in $facts['networking']['fqdn'] { ensure_packages(['percona-toolkit']) }
}
$top = 'set at top scope'
notify { $top: }
