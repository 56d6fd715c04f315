class role::web { include base include shadow notify { 'role::web': } }
