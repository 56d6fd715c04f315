# Backports and unattended upgrades in one catalog.
include apt
class { 'apt::backports': pin => 500 }

apt::conf { 'unattended-upgrades':
  priority => 50,
  content  => @("EOT"/$),
    Unattended-Upgrade::Origins-Pattern {
      "origin=Debian,codename=\${distro_codename},label=Debian-Security";
      "origin=${facts['os']['name']},codename=${facts['os']['distro']['codename']}-updates";
    };
    | EOT
}

$packages = ['unattended-upgrades', 'apt-listchanges']
ensure_packages($packages, { 'ensure' => 'latest', 'require' => Class['apt::update'] })
