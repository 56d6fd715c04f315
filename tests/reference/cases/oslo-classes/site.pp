# Classes and defined types of the module oslo.
include oslo

oslo::coordination { 'thing':
  backend_url => 'http://127.0.0.1:5000/',
  manage_backend_package => false,
  manage_config => false,
}
