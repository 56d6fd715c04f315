# Classes and defined types of the module postfix.
include postfix
include postfix::packages

postfix::config { 'thing':
  value => 'x',
}

postfix::mailalias { 'thing':
  recipient => 'x',
}

postfix::map { '/tmp/thing':
}
