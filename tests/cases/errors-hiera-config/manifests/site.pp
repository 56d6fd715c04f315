# hiera.yaml itself is wrong.
notify { lookup('x', undef, undef, 'default'): }
