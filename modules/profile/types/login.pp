# A login name that every system accepts.
type Profile::Login = Pattern[/\A[a-z_][a-z0-9_-]{0,30}\z/]
