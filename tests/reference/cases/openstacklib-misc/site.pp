# Parameter classes and the defaults class; numbers made from fact texts.
include openstacklib::defaults
include openstacklib::openstackclient
notify { "python ${openstacklib::defaults::pyver3}": }
if $openstacklib::params::openstackclient_package_name =~ /python3?-openstackclient/ {
  notify { "client is ${0}": }
}
