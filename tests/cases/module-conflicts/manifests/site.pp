# Names: a class and a define of a module, relative and absolute names, names that are also types, deep namespaces.
include outer::inner
include ::outer
include outer::inner::deep::deeper
::outer::thing { 'absolute': }
Class['outer::inner'] -> Class['::outer::inner::deep::deeper']
notify { "types: ${Class['outer']} ${Outer::Thing['absolute']} ${defined('::outer')} ${defined('outer::thing')} ${defined(Class['outer::nope'])}": }
