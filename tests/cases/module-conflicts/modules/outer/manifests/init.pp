class outer { notify { 'class outer': } include inner }
