notify { translate('a message'): }
