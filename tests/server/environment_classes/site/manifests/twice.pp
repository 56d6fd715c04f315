class t($a = 1) { }
class t($b = 2) { }
