# What `ensure` a file needs for the ensure of its class.
function service::file_ensure(Enum['present', 'absent'] $ensure) >> Enum['file', 'absent'] {
  $ensure ? { 'present' => 'file', default => $ensure }
}
