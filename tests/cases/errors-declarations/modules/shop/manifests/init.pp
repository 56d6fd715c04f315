class shop { notify { 'open': } }
