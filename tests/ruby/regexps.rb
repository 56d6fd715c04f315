# Methods of strings with patterns, of regular expressions, matches and symbols.
[/a/, "a", :a, "a".match(/a/)].map { |x| %i[match match? names options captures to_proc begin upcase no_such].map { |m| x.respond_to?(m) } }  #=> [[true, true, true, true, false, false, false, false, false], [true, true, false, false, false, false, false, true, false], [true, true, false, false, false, true, false, true, false], [true, false, true, false, true, false, true, false, false]]
Math.respond_to?(:sqrt)  #=> true
Math.respond_to?(:no_such)  #=> false
String.respond_to?(:new)  #=> true
Time.now.respond_to?(:strftime)  #=> true
/a/.no_such  #=> !NoMethodError: undefined method `no_such' for /a/:Regexp
"a".no_such  #=> !NoMethodError: undefined method `no_such' for "a":String
:a.no_such  #=> !NoMethodError: undefined method `no_such' for :a:Symbol
"a".upcase(1, 2, 3) rescue $!.class  #=> ArgumentError
"a".sub(/x/)  #=> !ArgumentError: wrong number of arguments (given 1, expected 2)
"a".tr("a")  #=> !ArgumentError: wrong number of arguments (given 1, expected 2)
"a".center  #=> !ArgumentError: wrong number of arguments (given 0, expected 1..2)
"a".insert(1)  #=> !ArgumentError: wrong number of arguments (given 1, expected 2)
"abc".between?("abb", "abd")  #=> true
"b".clamp("c", "d")  #=> "c"
:b.clamp(:c, :d)  #=> :c
"a b ".split(" ", -1)  #=> ["a", "b", ""]
"  a b  c ".split(" ", 2)  #=> ["a", "b  c "]
"  a b".split(" ", 1)  #=> ["  a b"]
"".split(",")  #=> []
"".split(",", -1)  #=> []
"a,b,,".split(",")  #=> ["a", "b"]
"a,b,,".split(",", -1)  #=> ["a", "b", "", ""]
"a,b,c".split(",", 2)  #=> ["a", "b,c"]
"aXXbXXc".split("XX")  #=> ["a", "b", "c"]
"abc".split("")  #=> ["a", "b", "c"]
"abc".split("", 2)  #=> ["a", "bc"]
"abc".split("", -1)  #=> ["a", "b", "c", ""]
"a1b2".split(/\d/)  #=> ["a", "b"]
"a1b2".split(/(\d)/)  #=> ["a", "1", "b", "2"]
"a,b".split(",") { |x| x }  #=> "a,b"
"a\u00a0b c".split  #=> ["a b", "c"]
"abc".split(nil)  #=> ["abc"]
"abc".split(1)  #=> !TypeError: wrong argument type Integer (expected Regexp)
"ab\n\ncd\n\n\nef".lines("")  #=> ["ab\n\n", "cd\n\n", "ef"]
"a,b,c".lines(",")  #=> ["a,", "b,", "c"]
"a,b,c".lines(",", chomp: true)  #=> ["a", "b", "c"]
"abc\ndef".each_line(nil).to_a  #=> ["abc\ndef"]
"a\r\nb\n".lines(chomp: true)  #=> ["a", "b"]
"a".upto("e").to_a  #=> ["a", "b", "c", "d", "e"]
"a".upto("e", true).to_a  #=> ["a", "b", "c", "d"]
"hello".rindex(/l+/)  #=> 3
"hello".rindex(/.l/)  #=> 2
"hello".rindex("l", -3)  #=> 2
"hello".rindex("l", 2)  #=> 2
"abc".rindex("", 10)  #=> 3
"abc".index("", 3)  #=> 3
"abc".index("", 4)  #=> nil
"héllo".index("l")  #=> 2
"héllo".index(/l/, -2)  #=> 3
"héllo".rindex("l")  #=> 3
"héllo"[1]  #=> "é"
"héllo"[-4]  #=> "é"
"héllo"[1, 3]  #=> "éll"
"héllo"[1..]  #=> "éllo"
"héllo"[9]  #=> nil
"foo".partition("x")  #=> ["foo", "", ""]
"foo".partition(/o/)  #=> ["f", "o", "o"]
"foo".rpartition("x")  #=> ["", "", "foo"]
"hello".rpartition(/.l/)  #=> ["he", "ll", "o"]
"aXbX".rpartition("X")  #=> ["aXb", "X", ""]
"aXbX".partition("X")  #=> ["a", "X", "bX"]
"ab".scan(/(a)|(b)/)  #=> [["a", nil], [nil, "b"]]
"abab".scan("ab")  #=> ["ab", "ab"]
"abc".scan(/./) { |c| c }  #=> "abc"
["abc".scan(/b/), $~[0], $~.pre_match]  #=> [["b"], "b", "a"]
["abc".scan(/x/), $~]  #=> [[], nil]
["a1b2".gsub(/\d/) { |d| (d.to_i + 1).to_s + $~.pre_match }, $~[0]]  #=> ["a2ab3a1b", "2"]
["abc".gsub("b", "x"), $~[0], $~.begin(0)]  #=> ["axc", "b", 1]
["abc".sub("b") { $~.post_match }, $~.regexp]  #=> ["acc", /b/]
["abc".sub("x", "y"), $~]  #=> ["abc", nil]
"abc".gsub("b", "<\\0\\\\>")  #=> "a<b\\>c"
"abc".gsub(/(?<x>b)/, "<\\k<x>>")  #=> "a<b>c"
"path".gsub("a", "a" => 1)  #=> "p1th"
"ab".gsub(/b/, Hash.new { |h, k| k * 3 })  #=> "abbb"
"abc".gsub(/b/).with_index.map { |m, i| m + i.to_s }  #=> ["b0"]
"abc".gsub(//, "-")  #=> "-a-b-c-"
"abc".gsub("", "-")  #=> "-a-b-c-"
"abc".sub!("x", "y")  #=> nil
"abc".gsub!(/b/, "b")  #=> "abc"
"abc".gsub(1, "")  #=> !TypeError: wrong argument type Integer (expected Regexp)
"a".scan(1)  #=> !TypeError: wrong argument type Integer (expected Regexp)
"a".index(1)  #=> !TypeError: no implicit conversion of Integer into String
"a".partition(1)  #=> !TypeError: wrong argument type Integer (expected Regexp)
"a".rindex(nil)  #=> !TypeError: no implicit conversion of nil into String
"a".include?(nil)  #=> !TypeError: no implicit conversion of nil into String
"a".sub("a", 1)  #=> !TypeError: no implicit conversion of Integer into String
"a".start_with?(1)  #=> !TypeError: no implicit conversion of Integer into String
"a".match(1)  #=> !TypeError: wrong argument type Integer (expected Regexp)
"a" =~ nil  #=> nil
/a/.match(1)  #=> !TypeError: no implicit conversion of Integer into String
/a/.match(nil)  #=> nil
/a/ =~ nil  #=> nil
/a/ === :a  #=> true
/a/ === 1  #=> false
/a/.match?(nil)  #=> false
/a/.match?(1)  #=> !TypeError: no implicit conversion of Integer into String
/b/.match("abc", 2)  #=> nil
/b/.match?("abc", 2)  #=> false
/b/.match("abcb", 2).begin(0)  #=> 3
/b/.match("abcb", -1).begin(0)  #=> 3
/b/.match("abc", 9)  #=> nil
/b/.match("abc") { |m| m[0] * 2 }  #=> "bb"
"abc".match("b", 0) { |m| 7 }  #=> 7
/(.)(.)/.match("ab").size  #=> 3
"a".match(/(b)?/).captures  #=> [nil]
/(?<a>.)(?<b>x)?/.match("héy").then { |m| [m.begin(0), m.end(:a), m.offset("b"), m.values_at(:a, 1), m.to_s, m.named_captures, m.names, m[5], m[0, 2], m[-1], m.string, m.regexp, m.match(:a), m.match_length(:b)] }  #=> [0, 1, [nil, nil], ["h", "h"], "h", {"a"=>"h", "b"=>nil}, ["a", "b"], nil, ["h", "h"], nil, "héy", /(?<a>.)(?<b>x)?/, "h", nil]
/(?<a>.)/.match("x").begin(5)  #=> !IndexError: index 5 out of matches
/(?<a>.)/.match("x").begin(-1)  #=> !IndexError: index -1 out of matches
/(?<a>.)/.match("x")[:zz]  #=> !IndexError: undefined group name reference: zz
/a(b)/.match("ab") == /a(b)/.match("ab")  #=> true
/(?<x>a)(?<x>b)/.named_captures  #=> {"x"=>[1, 2]}
/(?<x>a)(?<x>b)/.match("ab").named_captures  #=> {"x"=>"b"}
/a/i.casefold?  #=> true
/a/.eql?(/a/)  #=> true
/a/.hash == /a/.hash  #=> true
/a/.fixed_encoding?  #=> false
/é/.fixed_encoding?  #=> true
/a/mix.options  #=> 7
/é/.options  #=> 16
Regexp.new("a", Regexp::IGNORECASE).to_s  #=> "(?i-mx:a)"
/a/ix.to_s  #=> "(?ix-m:a)"
/a\/b/.inspect  #=> "/a\\/b/"
"abc"[/(?<x>b)(c)?/, "x"]  #=> "b"
"abc"[/(?<x>b)/, "y"]  #=> !IndexError: undefined group name reference: y
"abc"[/(a)(b)/, -1]  #=> "b"
"abcd"[1..2] = "xyz"  #=> "xyz"
(s = +"abcd"; s[1..2] = "xyz"; s)  #=> "axyzd"
(s = +"abcd"; s[/b./] = "-"; s)  #=> "a-d"
(s = +"abcd"; s["bc"] = "-"; s)  #=> "a-d"
(s = +"abcd"; s[9] = "x"; s)  #=> !IndexError: index 9 out of string
(s = +"abcd"; s[/x/] = "x"; s)  #=> !IndexError: regexp not matched
(s = +"héé"; s[1] = "e"; [s, s.slice!(0), s])  #=> ["eé", "h", "eé"]
(s = +"abc"; s << s; s)  #=> "abcabc"
(s = +"abc"; s.concat(s, s); s)  #=> "abcabcabc"
(s = +"abc"; s << 233 << 33; s)  #=> "abcé!"
"" << -1  #=> !RangeError: -1 out of char range
"" << 0x110000  #=> !RangeError: 1114112 out of char range
(s = +"abc"; [s.reverse!, s.next!, s.swapcase!, s.chop!, s.squeeze!])  #=> ["CB", "CB", "CB", "CB", nil]
"".reverse!  #=> ""
"aaa\n\n".chomp("")  #=> "aaa"
"abc".chomp("c")  #=> "ab"
"abc\r\n".chomp("\n")  #=> "abc"
"hello world".tr("a-y", "b-z")  #=> "ifmmp xpsme"
"hello".tr("^l", "*")  #=> "**ll*"
"hello".tr("el", "ip")  #=> "hippo"
"hello".tr("a-z", "A-C")  #=> "CCCCC"
"hello".tr_s("l", "r")  #=> "hero"
"héllo".tr("é", "e")  #=> "hello"
"hello".delete("l", "lo")  #=> "heo"
"hello".squeeze("a-z")  #=> "helo"
"aabb  cc".squeeze  #=> "ab c"
"hello".count("lo", "o")  #=> 1
"he-llo".delete("a\\-z")  #=> "hello"
"hello".tr("z-a", "x")  #=> !ArgumentError: invalid range "z-a" in string transliteration
"a".casecmp("B")  #=> -1
"äÖ".casecmp?("Äö")  #=> true
"a".casecmp(1)  #=> nil
:a.casecmp?(:A)  #=> true
:a.casecmp("a")  #=> nil
:a <=> "a"  #=> nil
:abc[1]  #=> "b"
:abc =~ /c/  #=> 2
:a.name.frozen?  #=> true
:abc.swapcase  #=> :ABC
:a.to_proc.call("x") rescue $!.class  #=> NoMethodError
"0x1A".hex  #=> 26
"0b11".oct  #=> 3
"-0x1f".oct  #=> -31
"0o17".oct  #=> 15
"z".to_i(36)  #=> 35
"12".to_i(37)  #=> !ArgumentError: invalid radix 37
"0b11".to_i(0)  #=> 3
"0x1f".to_i(16)  #=> 31
"1_000".to_i  #=> 1000
" 42abc".to_i  #=> 42
"123456789012345678901".to_i  #=> 123456789012345678901
"abc".sum  #=> 294
"abc".sum(8)  #=> 38
"é".dump  #=> "\"\\u00E9\""
"aé".byteslice(1, 2)  #=> "é"
"aé".byteslice(0)  #=> "a"
"aé".byteslice(-2..)  #=> "é"
"abc".getbyte(-1)  #=> 99
"abc".center(9, "12")  #=> "121abc121"
"é".ljust(3, "ab")  #=> "éab"
"a".rjust(-1)  #=> "a"
"a".ljust(3, "")  #=> !ArgumentError: zero width padding
"ßa".upcase  #=> "SSA"
"ÀB".downcase  #=> "àb"
"éa".capitalize  #=> "Éa"
"abc".hash == "abc".hash  #=> true
"a".eql?(:a)  #=> false
"a" <=> 1  #=> nil
"abc".start_with?("z", "a")  #=> true
["abc".start_with?(/b/), $~]  #=> [false, nil]
"abc".end_with?("z", "bc")  #=> true
"az".succ  #=> "ba"
"Zz9".next  #=> "AAa0"
"%s and %s" % %w[a b]  #=> "a and b"
"%5.1f|%-5s|%05d|%x|%+d" % [3.14159, "ab", 42, 255, 5]  #=> "  3.1|ab   |00042|ff|+5"
"%s" % nil  #=> ""
"%s %s" % [1]  #=> !ArgumentError: too few arguments
"%d" % 3.99  #=> "3"
"%-3d|" % 5  #=> "5  |"
"%3s|%-3s|" % ["é", :b]  #=> "  é|b  |"
"%.2s" % "abc"  #=> "ab"
"%s%%" % 50  #=> "50%"
"%p %p" % ["a", nil]  #=> "\"a\" nil"
"%c" % 97  #=> "a"
"%08.3f" % 3.14159  #=> "0003.142"
"%e" % 12345.678  #=> "1.234568e+04"
"%s" % [[1, 2]]  #=> "[1, 2]"
"%{a}-%<b>03d" % { a: 1, b: 2 }  #=> "1-002"
Regexp.union  #=> /(?!)/
Regexp.union(:a)  #=> /a/
Regexp.union("a.b", /c/i, /d/)  #=> /a\.b|(?i-mx:c)|(?-mix:d)/
Regexp.union([/a/])  #=> /a/
Regexp.union("a", :b)  #=> !TypeError: no implicit conversion of Symbol into String
Regexp.escape("a.b\n")  #=> "a\\.b\\n"
Regexp.quote(:"a*")  #=> "a\\*"
["ab" =~ /(?<x>b)/, Regexp.last_match(0), Regexp.last_match(:x), Regexp.last_match(5), Regexp.last_match.pre_match]  #=> [1, "b", "b", nil, "a"]
Regexp.escape  #=> !ArgumentError: wrong number of arguments (given 0, expected 1)
"a".rpartition(1)  #=> !TypeError: wrong argument type Integer (expected Regexp)
