class logrotate::base {
}

class logrotate::defaults::debian {
}

class logrotate::defaults::redhat {
}

class logrotate::defaults::suse {
}

class logrotate::hourly($ensure='present') {
}
