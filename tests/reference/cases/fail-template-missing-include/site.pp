# A template that includes one that is not there.
notify { 'x': message => inline_template("<%= scope.function_template(['nope/x.erb']) %>") }
