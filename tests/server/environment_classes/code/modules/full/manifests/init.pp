class full { }
