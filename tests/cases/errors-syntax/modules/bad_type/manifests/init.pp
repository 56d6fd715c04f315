class bad_type(No::Such $x = 1) { }
