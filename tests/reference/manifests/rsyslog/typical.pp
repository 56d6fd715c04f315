class { 'rsyslog':
  modules  => ['$ModLoad imuxsock', '$ModLoad imklog'],
  run_user => 'syslog',
  log_user => 'syslog',
}
class { 'rsyslog::client': server => 'log.example.com', port => '1514', custom_config => '' }
rsyslog::snippet { 'mine': content => 'local0.* /var/log/mine' }
rsyslog::imfile { 'app': file_name => '/var/log/app', file_tag => 'app', file_facility => 'local1' }
