# A child class changes and extends its parent's resources.
include base::strict
include base::other
