file { '/x': content => epp('ntp/none.epp') }
