class svc(String $package, Integer $workers, Array $users, Array $groups, Optional[String] $absent = 'class default', Hash $tree = {}) {
  notify { "svc ${package} ${workers} ${users} ${groups} '${absent}' ${tree}": }
}
