# A person's account.
type Profile::Account = Struct[{
  uid           => Integer[1000],
  groups        => Array[String[1]],
  Optional[key] => String[1],
}]
