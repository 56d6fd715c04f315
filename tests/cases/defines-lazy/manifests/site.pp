# Defined types are evaluated after the classes around them; so order, defined() and variables depend on it.
box { 'first': level => 2 }
notify { 'after first': }
include late
box { 'second': }
notify { "defined: ${defined(Box['first'])} ${defined(Notify['box first'])} ${defined('late')} ${defined('nope')} ${defined(Class['late'])} ${defined(Box)} ${defined('box')}": }

define box($level = 0, $color = $late::color) {
  notify { "box ${title}": message => "level ${level}, color ${color}, ${late::color}" }
  if $level > 0 {
    box { "${title}.${level}": level => $level - 1 }
  }
  notify { "end ${title}": }
}
class late { $color = 'green' notify { 'late': } box { 'third': color => 'red' } }
