class { 'rsyslog': modules => ['$ModLoad imuxsock'] }
