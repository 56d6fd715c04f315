class inner { notify { 'the module inner, not outer::inner': } }
