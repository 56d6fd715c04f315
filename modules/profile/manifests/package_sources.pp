# @summary Where packages come from. Runs in a stage of its own, before everything else.
#
# @param mirror
#   Base address of the mirror.
class profile::package_sources (
  Pattern[/\Ahttps?:\/\//] $mirror,
) {
  $release = $facts['os']['release']['major']

  case $facts['os']['family'] {
    'Debian': {
      $codename = $facts['os']['distro']['codename']
      $path = $facts['os']['name'].downcase

      file { '/etc/apt/sources.list':
        content => ['', '-updates'].map |$pocket| { "deb ${mirror}/${path} ${codename}${pocket} main\n" }.join,
        notify  => Exec['apt-get update'],
      }
      exec { 'apt-get update':
        refreshonly => true,
      }
    }
    'RedHat': {
      file { '/etc/yum.repos.d/site.repo':
        content => @("REPO"/$),
          [site-base]
          name=${facts['os']['name']} ${release}
          baseurl=${mirror}/${facts['os']['name'].downcase}/${release}/\$basearch/
          gpgcheck=1
          | REPO
      }
    }
    default: {
      fail("${facts['os']['name']} is not supported at this site")
    }
  }
}
