# A mistake in a template's Ruby.
notify { 'x': message => inline_template("a\n<%= [1].upcase %>\n") }
