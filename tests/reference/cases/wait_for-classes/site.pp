# Classes and defined types of the module wait_for.
include wait_for
