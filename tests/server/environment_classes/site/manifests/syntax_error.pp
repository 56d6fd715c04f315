class b( $x = ) { }
