# Digs in what hiera.yaml says.
function environment::dug(Array $segments, Hash $options, Puppet::LookupContext $context) {
  if $segments[0] == 'tree' {
    $options['tree'].dig(*$segments[1, -1])
  } else {
    $context.not_found
  }
}
