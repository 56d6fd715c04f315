# A manifest that is a folder: its files in order of their names, as one.
$shared = 'set in the first file'
node default { include role::web }
