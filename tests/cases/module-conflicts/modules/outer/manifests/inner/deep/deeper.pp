class outer::inner::deep::deeper { notify { "deeper in ${module_name}": } }
