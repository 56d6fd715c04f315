alternatives { 'editor': path => '/usr/bin/vim.basic' }
alternative_entry { '/usr/bin/gcc-12': altlink => '/usr/bin/gcc', altname => 'gcc', priority => 12 }
