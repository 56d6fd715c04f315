class bad_compare_mixed { if 'a' < 1 { } }
