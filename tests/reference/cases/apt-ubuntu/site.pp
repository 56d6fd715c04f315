# The same module on Ubuntu; configuration and sources from Hiera, merged deeply.
include apt
include apt::backports
