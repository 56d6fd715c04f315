class archive (
  Optional[String] $seven_zip_name     = $archive::params::seven_zip_name,
  Optional[String] $seven_zip_provider = $archive::params::seven_zip_provider,
  Optional[String] $seven_zip_source   = undef,
  Boolean          $aws_cli_install    = false,
) {
}

class archive::params {
}

class archive::staging (
  String $path  = $archive::params::path,
  String $owner = $archive::params::owner,
  String $group = $archive::params::group,
  String $mode  = $archive::params::mode,
) {
}
