class tmpl(Array[String] $users = [], Integer $port = 80, Hash $opts = { 'a' => 1, 'b' => [1, 2] }) {
  $local = 'a class variable'
  file { '/etc/full': content => epp('tmpl/full.epp', { 'users' => $users, 'port' => $port, 'opts' => $opts }) }
  file { '/etc/plain': content => epp('tmpl/plain.epp') }
  file { '/etc/trim': content => epp('tmpl/trim.epp', { 'list' => $users }) }
  file { '/etc/inline': content => inline_epp(@(END), { 'x' => 'given' }) }
    <%- | String $x, $y = 'default' | -%>
    <%= $x %> and <%= $y %>
    | END
  file { '/etc/inline2': content => inline_epp('port <%= $port %>, <%= $local -%>  !') }
}
