$site = 'top'
node /^block\./ {
  $colour = 'blue'
  $own = 'node scope'
  notify { "block: ${colour} ${::colour}": }
}
node /^declared\./ {
  class { 'app::sized': size => 4 }
}
node /^included\./ {
  include app
}
node default {
  notify { "default: ${colour} ${list}": }
}
