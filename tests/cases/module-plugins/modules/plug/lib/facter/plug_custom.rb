Facter.add(:plug_custom) { setcode { "x" } }
