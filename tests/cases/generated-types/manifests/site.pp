node 'all' {
  m_service { ['a', 'b']: ensure => running, force => true, level => '3', provider => any }
  M_service['a'] -> M_key <| |>
  m_key { 'one::two': value => 1 }
  m_key { 'three': section => 'one' }
  m_run { 'first': command => '/bin/true' }
  m_run { 'second': command => '/bin/true', returns => [0, 1] }
  m_path { '/a': path => '/a', mode => '0600', require => M_run['first'] }
  m_path { 'b': path => '/b' }
  # its Ruby is gone
  m_gone { 'x': size => 1 }
  M_service <| title == 'b' |> { level => 'low' }
  notify { "${M_path['b']} ${Resource['m_gone', 'x']}": }
  @m_gone { 'y': }
  realize(M_gone['y'])
  create_resources('m_gone', { 'z' => { 'size' => 2 } })
}
node 'newer' {
  # the Ruby has it, the file that was generated before has not
  m_service { 'a': newer => 1 }
}
node 'twice' {
  m_key { 'one::two': }
  m_key { 'two': section => 'one' }
}
node 'name' {
  m_path { '/a': name => '/b' }
}
node 'value' {
  m_gone { 'x': size => 1 }
  notice(M_gone['x']['size'])
}
node 'pattern' {
  m_key { 'a:b': }
}
