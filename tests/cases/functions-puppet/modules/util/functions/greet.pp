function util::greet(String[1] $name, String $word = "hi ${name}", Integer *$rest) >> String {
  "${word}, ${name} ${rest} ${facts['os']['name']} ${module_name}"
}
