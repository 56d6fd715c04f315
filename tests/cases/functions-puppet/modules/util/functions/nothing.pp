function util::nothing() { }
