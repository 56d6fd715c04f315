class outer {
  $where = 'class outer'
  $inner_value = 'from outer'
  include outer::inner
  outer::thing { 'one': label => $where }
  notify { "outer: ${where}; ${only_node}; ${only_top}; ${module_name}; ${name}; ${title}": }
}
