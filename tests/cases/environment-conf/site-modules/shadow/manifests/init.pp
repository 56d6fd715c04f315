class shadow { notify { 'shadow of site-modules': } }
