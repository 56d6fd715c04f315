class svc::extra($mode = '0644', $rules = {}, $count = 0, $secret = undef, $set = [], $label = '') {
  notify { "extra ${mode} ${rules} ${count} ${set} ${label}": }
  notify { 'secret': message => $secret }
}
