# A class with parameters from data.
class app(Integer $size, Array $list = [], String $colour = 'blue') { }
