# The smallest real module: contained classes in a chain, module data, one EPP template.
include ntp
