# setup: apt-get -qq update
# One package that is installed, one that is not wanted and is not installed.
package { 'figlet': ensure => installed }
package { 'toilet': ensure => absent }
