$x = no_such_function('a')
