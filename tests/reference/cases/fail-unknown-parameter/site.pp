class { 'apt': updates => {} }
