# Which node block is taken, and what it leaves behind.
$site = 'example'
node 'exact.example.com' { notify { 'exact': } }
node 'one.example.com', two { notify { "list: ${trusted['certname']}": } }
node /^web(\d+)/ { notify { "web number ${1}": } include shared }
node /^web1/ { notify { 'never: an earlier expression matched': } }
node default { notify { 'default': } include shared }
class shared { notify { "shared at ${site}": } }
include always
class always { notify { 'always': } }
