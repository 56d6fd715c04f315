# An absolute path.
type Webapp::Path = Pattern[/\A\/\S*\z/]
