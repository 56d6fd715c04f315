class x($facts = 1, $trusted, $title = 2) { }
