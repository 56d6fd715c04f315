class base { notify { "base from ${module_name}": } contain base::files }
