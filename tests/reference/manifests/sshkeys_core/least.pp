sshkey { 'one.example.com': type => 'ssh-rsa', key => 'AAAAB3NzaC1yc2E=' }
ssh_authorized_key { 'ann@one': user => 'root', type => 'ssh-ed25519', key => 'AAAAC3NzaC1lZDI1NTE5AAAA' }
