class m { $list = 5 file { '/x': content => template('m/x.erb') } }
