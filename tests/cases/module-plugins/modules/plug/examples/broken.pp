this ( is broken
