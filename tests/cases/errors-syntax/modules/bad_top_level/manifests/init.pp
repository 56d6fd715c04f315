class bad_top_level { }
notify { 'at top level of a module': }
