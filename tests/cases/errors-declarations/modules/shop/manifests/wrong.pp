class shop::other { }
