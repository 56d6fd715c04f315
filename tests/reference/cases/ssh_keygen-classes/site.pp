# Classes and defined types of the module ssh_keygen.
ssh_keygen { 'thing': }
