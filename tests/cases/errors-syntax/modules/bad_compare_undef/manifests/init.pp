class bad_compare_undef { if undef > 1 { } }
