function plug::nested::deeper() { "deeper" }
