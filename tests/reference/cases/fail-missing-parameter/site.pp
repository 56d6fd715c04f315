concat::fragment { 'no target': content => 'x' }
