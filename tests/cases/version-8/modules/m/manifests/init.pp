# A class with a type that is not literal.
class m (
  Optional[[String]] $text = undef,
  String $own = 'none',
) {
  notify { 'm': message => "${text} ${own}" }
}
