class invalid_type(Timespan['1:00'] $ts = undef) { }
