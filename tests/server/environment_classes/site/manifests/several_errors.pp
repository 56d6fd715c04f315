class d($name) { 1 + 1
 $a::b = 2
 Foo = 3 }
