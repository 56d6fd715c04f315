class tea_user(Tea::Port $port = 80, Tea::Absolutepath $path = '/srv') { notify { "${path}:${port}": } }
include tea_user
