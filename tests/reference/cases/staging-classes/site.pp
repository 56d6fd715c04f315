# Classes and defined types of the module staging.
include staging
