function util::nested::deep($x) { util::double(4).then |$v| { "${x}${v}" } }
