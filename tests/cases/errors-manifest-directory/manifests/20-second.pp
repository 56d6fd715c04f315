$more = { 'b' => 1, 'b' => 2 }
notify { 'second' }
