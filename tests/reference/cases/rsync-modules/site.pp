# create_resources from a class parameter given by Hiera, deep-merged.
include rsync
