class shadow { notify { 'never: hidden by site-modules': } }
