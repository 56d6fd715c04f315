class outer::inner {
  # not dynamic: the includer's variables are not seen, node and top scope are
  notify { "inner: ${where}; ${outer::where}; ${$::facts['os']['name']}; ${facts['os']['name']}; ${os['family']}": }
  notify { "trusted: ${trusted['certname']} ${trusted['hostname']} ${trusted['authenticated']}": }
  notify { "server: ${server_facts['serverversion']} ${servername} ${environment} ${server_facts['environment']}": }
  notify { "client: ${clientcert} ${clientversion} ${clientnoop}": }
}
