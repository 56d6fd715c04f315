include ntp::config
