apt::source { 'x': location => 'http://x', pin => { 'priority' => 'high' }, key => 5 }
