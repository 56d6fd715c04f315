class broken { }
