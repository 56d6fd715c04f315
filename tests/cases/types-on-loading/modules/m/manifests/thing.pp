define m::thing(Integer $n = 1) { notify { "thing": } }
