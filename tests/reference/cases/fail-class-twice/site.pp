include apt
class { 'apt': purge => {} }
