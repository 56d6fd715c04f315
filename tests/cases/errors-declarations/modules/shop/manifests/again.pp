class shop::again { notify { 'open': } }
