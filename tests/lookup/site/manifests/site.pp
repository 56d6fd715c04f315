$zone = 'blue'
