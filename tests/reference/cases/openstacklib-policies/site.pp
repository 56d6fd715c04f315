# Policy files by nested defines, with merged defaults.
class { 'openstacklib::openstackclient': }
openstacklib::policy { '/etc/nova/policy.yaml':
  policies     => {
    'admin-required' => { 'key' => 'admin_required', 'value' => 'role:admin' },
    'owner'          => { 'key' => 'owner', 'value' => 'user_id:%(user_id)s' },
  },
  file_user    => 'root',
  file_group   => 'nova',
  file_format  => 'yaml',
  purge_config => true,
}
openstacklib::policy { '/etc/cinder/policy.json': file_mode => '0600' }
