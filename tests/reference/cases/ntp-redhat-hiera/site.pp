# Class parameters from Hiera: merge behaviour by lookup_options, interpolation of facts, an alias.
include ntp
