class k($kw = { class => 1 }) { }
