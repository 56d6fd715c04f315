# What a variable's name finds: local, class, node and top scope; facts and built-in hashes.
$where = 'top'
$only_top = 'seen everywhere'

node default {
  $where = 'node'
  $only_node = 'seen in node and what it declares'
  include outer
  notify { "node: ${where}, ${::where}, ${outer::inner_value}": }
  $greeting = with('lambda') |$where| { "${where} hides ${::where}" }
  notify { $greeting: }
  [1, 2].each |$n| { $local = $n * 10 notify { "local ${local}": } }
}
