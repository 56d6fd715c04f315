# Client classes of several services together.
include mongodb::client
include openssl
include ssh_keygen_check
class ssh_keygen_check {
  ssh_keygen { 'ada': type => 'rsa', bits => 4096, home => '/home/ada' }
  rsync::get { '/srv/mirror': source => 'rsync://mirror.example.com/pub/', purge => true, exclude => ['.git', '*.tmp'], timeout => 120 }
  rsync::put { 'up': source => '/srv/up/', path => '/tmp/up', user => 'ada', keyfile => '/home/ada/.ssh/id' }
}
