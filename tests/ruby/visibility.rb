# private and protected
(class PrivA; def pub = hid; private; def hid = 1; end; PrivA.new.pub)  #=> 1
(class PrivB; def a = 1; def b = 2; private :a; def to_s = "b"; def inspect = "#<PrivB>"; end; begin; PrivB.new.a; rescue NoMethodError => e; e.message; end)  #=> "private method `a' called for #<PrivB>"
(class PrivC; private def a = 1; def b = self.a; def c(o) = o.a; end; [PrivC.new.b, (PrivC.new.c(PrivC.new) rescue $!.class)])  #=> [1, NoMethodError]
(class PrivD; def initialize(v) = @v = v; def <=>(o) = v <=> o.v; protected; attr_reader :v; end; [(PrivD.new(1) <=> PrivD.new(2)), (PrivD.new(1).v rescue $!.class)])  #=> [-1, NoMethodError]
(class PrivE; private_class_method :new; def self.make = new; end; [PrivE.make.class.to_s, (PrivE.new rescue $!.message)])  #=> ["PrivE", "private method `new' called for PrivE:Class"]
(class PrivF; X = 1; private_constant :X; def self.x = X; end; [PrivF.x, (PrivF::X rescue $!.message)])  #=> [1, "private constant PrivF::X referenced"]
(class PrivG; private; def a = 1; public; def b = 2; end; o = PrivG.new; [o.respond_to?(:a), o.respond_to?(:a, true), o.respond_to?(:b), o.send(:a), (o.public_send(:a) rescue $!.class), PrivG.method_defined?(:a), PrivG.private_method_defined?(:a), PrivG.instance_methods(false)])  #=> [false, true, true, 1, NoMethodError, false, true, [:b]]
(class PrivH; private; def a = 1; end; class PrivI < PrivH; public :a; end; [PrivI.new.a, (PrivH.new.a rescue $!.class)])  #=> [1, NoMethodError]
(class PrivJ; private; attr_accessor :a; def self.s = 3; end; [PrivJ.s, (PrivJ.new.a rescue $!.class)])  #=> [3, NoMethodError]
(class PrivK; class << self; def a = b; private; def b = 4; end; end; [PrivK.a, (PrivK.b rescue $!.class)])  #=> [4, NoMethodError]
(class PrivL; def method_missing(n, *a) = n; private; def a = 1; end; PrivL.new.a)  #=> :a
(module PrivM; module_function; def a = 1; end; PrivM.a)  #=> 1
(class PrivN; private; def a = 1; end; [PrivN.new].map(&:a)) rescue $!.class  #=> NoMethodError
# Assignments with private setters.
class SetA; attr_accessor :v; private :v=; def own(x) self.v = x; v end end; o = SetA.new; r = [o.own(1)]; begin; o.v = 5; rescue NoMethodError => e; r << e.message[0, 26] end; r  #=> [1, "private method `v=' called"]
class SetB; def w=(x) @w = x end; def w; @w end; protected :w=; def copy(o) o.w = 4; o.w end end; r = [SetB.new.copy(SetB.new)]; begin; SetB.new.w = 5; rescue NoMethodError => e; r << e.message[0, 28] end; r  #=> [4, "protected method `w=' called"]
class SetC; private; def []=(k, v) @k = v end; public; def z; self[1] = 2; @k end end; r = [SetC.new.z]; begin; SetC.new[1] = 2; rescue NoMethodError => e; r << e.message[0, 28] end; r  #=> [2, "private method `[]=' called "]
