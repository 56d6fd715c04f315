# filebeat: its templates are chosen by version and write YAML.
class { 'filebeat': outputs => { 'logstash' => { 'hosts' => ['l1:5044', 'l2:5044'], 'loadbalance' => true }, 'file' => { 'path' => '/tmp' } }, shipper => { 'x' => 1 }, logging => { 'level' => 'info' }, major_version => '7' }
filebeat::input { 'syslogs': paths => ['/var/log/auth.log', '/var/log/syslog'], doc_type => 'syslog-beat', fields => { 'a' => 'b', 'c' => [1, 2] }, multiline => { 'pattern' => '^x', 'negate' => true, 'match' => 'after' }, tags => ['t1', 't2'] }
