# YAML and JSON targets with forced merges; virtual fragments collected by tag.
concat { '/etc/app.yaml': format => 'yaml', force => true }
concat { '/etc/app.json': format => 'json-pretty', tag => 'app-json', owner => 'app', group => 'app' }

concat::fragment { 'yaml base': target => '/etc/app.yaml', content => "---\nport: 80\n" }
concat::fragment { 'yaml tls': target => '/etc/app.yaml', content => @(YAML), order => '20' }
  tls:
    port: 443
  | YAML

@concat::fragment { 'json a': target => '/etc/app.json', content => '{"a": 1}', tag => ['json', 'first'] }
@concat::fragment { 'json b': target => '/etc/app.json', content => '{"b": [true, null]}', tag => 'json' }
@concat::fragment { 'json never': target => '/etc/app.json', content => '{}', tag => 'other' }
Concat::Fragment <| tag == 'json' |> {
  order => '33',
}
