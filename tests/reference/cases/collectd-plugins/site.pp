# The same with plugins, whose files are ERB.
include collectd
include collectd::plugin::uptime
class { 'collectd::plugin::df': mountpoints => ['/', '/srv'], fstypes => ['ext4'], ignoreselected => false }
