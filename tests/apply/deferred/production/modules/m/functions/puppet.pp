function m::puppet($x) { "${x} ${facts['kernel']}" }
