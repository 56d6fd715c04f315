# Its port comes from the module's data.
class plug(Plug::Port $port) {
  notify { 'plug': message => String($port) }
}
