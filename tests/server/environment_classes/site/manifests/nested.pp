class z {
  class inner($y = 1) {
    class deeper { }
  }
}
define a::d($x) { }
class a::b inherits a { }
class { 'x': }
function a::f() { 1 }
node default { }
