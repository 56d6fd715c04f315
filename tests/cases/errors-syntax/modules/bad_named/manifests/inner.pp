class bad_named::another { }
