# Classes and variables from a classifier, next to node blocks and the main manifest.
class plain {
  notify { "plain: tier ${tier}": }
  if $nested { notify { "${::nested['list'][1]['k']} ${nested['number'] + 1} '${nested['none']}'": } }
}
class sized(Integer $size, Array[String] $names = []) { notify { "sized ${size} ${names}": } include plain }
notify { "top sees tier ${tier} and shadowed '${shadowed}'": }
node default { notify { 'node block': } include plain }
