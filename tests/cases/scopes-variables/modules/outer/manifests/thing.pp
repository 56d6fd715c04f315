define outer::thing($label, $again = "${label}/${title}") {
  notify { "thing ${name}: ${again}; ${where}; ${caller_module_name}; ${module_name}": }
  $deep = { 'list' => [{ 'key' => 'value' }, 7] }
  notify { "deep ${deep['list'][0]['key']} ${deep['list'][-1]} ${deep[list]} ${deep.dig('list', 1)}": }
}
