class ::abs($a) { }
