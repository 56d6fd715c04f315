class bad_reference_empty { notify { 'x': require => Notify[] } }
