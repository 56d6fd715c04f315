# Titles that are no text: keys of create_resources.
define d(Any $p = 1) {
  notice("${title} ${name} ${type($title)} ${type($name)}")
  notify { "n-${title}": }
}
create_resources('d', { 8042 => { p => 2 }, 1.5 => {}, true => {}, [7, 'x'] => {} })
create_resources('notify', { 5 => {}, 6 => { message => 'x' } })
create_resources('user', { 7 => { uid => 3 } })
notice(D['8042']['p'], defined(D['7']), User['7']['uid'])
