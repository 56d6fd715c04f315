class dashes { }
