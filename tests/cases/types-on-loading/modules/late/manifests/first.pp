class late::first { notify { 'first': } }
class late::first::second(Integer $x, Missing[1] $y = 1) { }
