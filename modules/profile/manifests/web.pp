# @summary The web application and the people who work on it.
class profile::web {
  contain webapp

  User <| tag == 'dev' |> -> Class['webapp::config']

  motd::message { 'webapp':
    text => "Runs webapp ${webapp::version} with ${webapp::workers} workers.",
  }
}
