class empty_metadata { }
