class m (
  Optional[Nowhere::Else] $x = undef,
) { }
