class nameless { }
