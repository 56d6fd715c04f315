type Kinds = TypeSet[{
  pcore_version => '1.0.0',
  version => '1.0.0',
  types => {
    Small => Integer[0, 9],
  },
}]
