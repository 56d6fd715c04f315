class bare($thing = 1) { }
