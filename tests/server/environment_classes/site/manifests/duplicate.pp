class dup($a, $a) { }
