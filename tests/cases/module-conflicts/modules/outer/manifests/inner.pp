class outer::inner { notify { 'class outer::inner': } }
