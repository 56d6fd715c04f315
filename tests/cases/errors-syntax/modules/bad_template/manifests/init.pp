class bad_template { notify { epp('bad_template/bad.epp'): } }
