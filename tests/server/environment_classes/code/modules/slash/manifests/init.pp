class slash { }
