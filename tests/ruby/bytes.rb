# Binary strings.
(s = [1, 200].pack("C*"); s << 3; s.bytes)  #=> [1, 200, 3]
[65, 200].pack("C*").inspect  #=> "\"A\\xC8\""
[7, 8, 9, 10, 11, 12, 13, 27, 34, 35, 36, 35, 65, 35, 64, 35, 123, 92, 127, 200].pack("C*").inspect  #=> "\"\\a\\b\\t\\n\\v\\f\\r\\e\\\"\\\#$#A\\\#@\\\#{\\\\\\x7F\\xC8\""
3.chr(Encoding::UTF_8).inspect  #=> "\"\\u0003\""
(s = [200, 65, 66].pack("C*"); [s[1], s[1, 2], s[0].bytes, s.getbyte(0), s.byteslice(1, 1), s.length])  #=> ["A", "AB", [200], 200, "A", 3]
(s = [200, 65].pack("C*"); s.each_byte.map { |b| b + 1 })  #=> [201, 66]
(s = [200, 65].pack("C*"); s.unpack("H*"))  #=> ["c841"]
(s = [200, 65].pack("C*"); (s * 2).bytes)  #=> [200, 65, 200, 65]
(s = [200, 65].pack("C*"); [s == s.dup, s.hash == s.dup.hash, s.empty?, s.reverse.bytes, s.start_with?([200].pack("C"))])  #=> [true, true, false, [65, 200], true]
(s = [1, 2, 254].pack("C*"); s.setbyte(0, 255); s.bytes)  #=> [255, 2, 254]
(a = [15, 240].pack("C*"); b = [255, 1].pack("C*"); a.bytes.zip(b.bytes).map { |x, y| x ^ y }.pack("C*").unpack1("H*"))  #=> "f0f1"
([1, 255].pack("C*") + [2].pack("C")).bytes  #=> [1, 255, 2]
(s = "".b; 3.times { |i| s << (250 + i).chr }; s.bytes)  #=> [250, 251, 252]
(s = String.new; s << [255].pack("C"); s.bytes)  #=> [255]
Digest::SHA1.digest("a")[0, 4].unpack("N")  #=> [2264392759]
Digest::MD5.digest("a").unpack("C*").sum  #=> 2272
[200].pack("C").force_encoding("UTF-8").valid_encoding?  #=> false
# bytes inside a string
"a#{Digest::SHA1.digest('x')}b".bytesize  #=> 22
Base64.strict_encode64("#{Digest::SHA1.digest('secretsalt')}salt")  #=> "gVK8WC9YyFT1gMsQHTGCgT3sSv5zYWx0"
"#{Digest::MD5.digest('x')}é"  #=> !Encoding::CompatibilityError: incompatible character encodings: ASCII-8BIT and UTF-8
"é#{Digest::MD5.digest('x')}"  #=> !Encoding::CompatibilityError: incompatible character encodings: UTF-8 and ASCII-8BIT
# crypt returns a binary string, even if its bytes are ASCII
["p".crypt("$1$salt$"), "p".crypt("$5$salt"), "p".crypt("$6$salt").encoding.to_s, "p".crypt("$2b$05$abcdefghijklmnopqrstuv")]  #=> ["$1$salt$NS8.kqcTYt.fmSL.V8Lvz/", "$5$salt$0f9LjqmzljHtZCIgGD9ei0VROL69ny5hCKZKrg1RPs9", "ASCII-8BIT", "$2b$05$abcdefghijklmnopqrstuuqwWMzKt5N8p.u2GX5MuH1t19BMWuLOW"]
("test".crypt("$1$1") == "$1$1$Bp8CU9Oujr9SSEw53WV6G.")  #=> true
("x:#{'p'.crypt('$1$a')}:y")  #=> "x:$1$a$LJ.B8l/tL59wA7Hl5/EO4/:y"
[0x6b, 0xa7, 0xb8].map { |b| b.chr }.join.bytes  #=> [107, 167, 184]
[[200.chr], "a"].join("-").bytes  #=> [200, 45, 97]
["é", 200.chr].join  #=> !Encoding::CompatibilityError: incompatible character encodings: UTF-8 and ASCII-8BIT
["é", "b"].join("ü")  #=> "éüb"
