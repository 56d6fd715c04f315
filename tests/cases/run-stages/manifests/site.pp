# Run stages: classes hang off their stage; includes inside follow along.
stage { ['setup', 'teardown']: }
Stage['setup'] -> Stage['main'] -> Stage['teardown']
class first { include second notify { 'first': } }
class second { notify { 'second': } }
class third { notify { 'third': } contain fourth }
class fourth { notify { 'fourth': } }
class { 'first': stage => 'setup' }
class { 'third': stage => teardown }
include plain
class plain { notify { 'plain': } }
