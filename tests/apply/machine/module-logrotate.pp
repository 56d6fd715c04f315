# setup: apt-get -qq update
include logrotate
logrotate::rule { 'example': path => '/var/log/example/*.log', rotate => 5, rotate_every => 'week' }
