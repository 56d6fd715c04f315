class web(String $token) {
  notify { 'token': message => $token }
}
$greeting = 'hello'
['password', 'umlauts', 'lines', 'greeted', 'part', 'two', 'plain', 'number', 'nested', 'only_here'].each |$key| {
  notify { $key: message => lookup($key) }
}
notify { 'secret': message => lookup('secret') }
include web
