# A mistake in the Ruby of a template file.
include m
