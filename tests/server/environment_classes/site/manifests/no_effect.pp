class e::f { $x = 1; 'unused'; notice('x') }
