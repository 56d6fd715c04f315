# What is served below a path: the application or files; and how long clients may keep it.
type Webapp::Location = Struct[{
  path            => Webapp::Path,
  target          => Enum['app', 'files'],
  Optional[cache] => Pattern[/\A\d+[smhd]\z/],
}]
