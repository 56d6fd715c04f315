class bad_named { }
