# A class without parameters.
class example::web {
}
