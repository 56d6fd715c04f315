# A fully qualified host name.
type Webapp::Hostname = Pattern[/\A[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+\z/]
