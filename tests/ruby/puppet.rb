# Versions
(v = SemanticPuppet::Version.parse("1.2.3-rc.1+b7"); [v.major, v.minor, v.patch, v.prerelease, v.build, v.stable?, v.to_s, v.to_stable.to_s])  #=> [1, 2, 3, "rc.1", "b7", false, "1.2.3-rc.1+b7", "1.2.3+b7"]
SemanticPuppet::Version.parse("1.2")  #=> !SemanticPuppet::Version::ValidationFailure: Unable to parse '1.2' as a semantic version identifier
(SemanticPuppet::Version.parse("x") rescue [$!.class, $!.is_a?(ArgumentError)])  #=> [SemanticPuppet::Version::ValidationFailure, true]
[SemanticPuppet::Version.valid?("1.2.3"), SemanticPuppet::Version.valid?("1.2"), SemanticPuppet::Version.valid?("1.2.3-01")]  #=> [true, false, false]
SemanticPuppet::Version.parse(nil)  #=> !NoMethodError: undefined method `match' for nil:NilClass
(v = SemanticPuppet::Version.parse("1.9.9"); [v.next(:major), v.next(:minor), v.next(:patch), v.next(:other)])  #=> [2.0.0, 1.10.0, 1.9.10, nil]
%w[1.10.0 1.9.0 1.9.0-rc.2 1.9.0-rc.10].map { |t| SemanticPuppet::Version.parse(t) }.sort.map(&:to_s)  #=> ["1.9.0-rc.2", "1.9.0-rc.10", "1.9.0", "1.10.0"]
(a, b = SemanticPuppet::Version.parse("1.2.3"), SemanticPuppet::Version.parse("1.10.0"); [a < b, a <=> b, a == b, a == SemanticPuppet::Version.parse("1.2.3"), [a, b].max.to_s, a.is_a?(Comparable), a <=> 3, a.between?(a, b)])  #=> [true, -1, false, true, "1.10.0", true, nil, true]
SemanticPuppet::Version.new(1, 2, 3).to_s  #=> "1.2.3"
SemanticPuppet::Version.new(1, 2, 3, ["rc", 1], ["b"]).to_s  #=> "1.2.3-rc.1+b"
SemanticPuppet::Version.parse("1.2.3").class  #=> SemanticPuppet::Version
[SemanticPuppet::Version::MIN.major, SemanticPuppet::Version::MAX > SemanticPuppet::Version.parse("999.0.0")]  #=> [0, true]
SemanticPuppet::Version.parse("1.0.0").inspect  #=> "1.0.0"
"#{SemanticPuppet::Version.parse("1.0.0")}!"  #=> "1.0.0!"
(r = SemanticPuppet::VersionRange.parse(">=1.2.0 <2.0.0"); [r.include?(SemanticPuppet::Version.parse("1.5.0")), r === SemanticPuppet::Version.parse("2.0.0"), r.cover?(SemanticPuppet::Version.parse("1.2.0")), r.begin.to_s, r.end.to_s, r.exclude_end?, r.to_s])  #=> [true, false, true, "1.2.0", "2.0.0", true, ">=1.2.0 <2.0.0"]
SemanticPuppet::VersionRange.parse("nonsense")  #=> !ArgumentError: Unparsable version range: "nonsense"
%w[1.x ~1.2 ^1.2.3 >1.0.0].map { |t| r = SemanticPuppet::VersionRange.parse(t); [r.begin.to_s, r.to_s, r.include?(SemanticPuppet::Version.parse("1.2.9"))] }  #=> [["1.0.0", "1.x", true], ["1.2.0", "~1.2", true], ["1.2.3", "^1.2.3", true], ["1.0.0", ">1.0.0", true]]
SemanticPuppet::VersionRange.parse(">=1.0.0").intersection(SemanticPuppet::VersionRange.parse("<1.5.0")).to_s  #=> ">=1.0.0 <1.5.0"
SemanticPuppet::VersionRange.parse("<1.0.0").intersection(SemanticPuppet::VersionRange.parse(">1.5.0")).include?(SemanticPuppet::Version.parse("1.2.0"))  #=> false
SemanticPuppet::VersionRange.parse("1.x").intersection("2")  #=> !ArgumentError: value must be a SemanticPuppet::VersionRange
SemanticPuppet::VersionRange.parse("1.x") == SemanticPuppet::VersionRange.parse("1.x")  #=> true
# URIs
URI.join("http://a.com/b/c", "d").to_s  #=> "http://a.com/b/d"
URI.join("http://a.com/b/c/", "../d", "e?q=1").to_s  #=> "http://a.com/b/e?q=1"
URI.join("http://a.com/b", "/x", "//c.org/y").to_s  #=> "http://c.org/y"
[URI.join("http://a.com", "x").to_s, URI.join("http://a.com/a/b?q#f", "").to_s, URI.join("http://a.com/a/b?q#f", "?z").to_s, URI.join("http://a.com/a/b?q", "#z").to_s]  #=> ["http://a.com/x", "http://a.com/a/b?q#f", "http://a.com/a/b?z", "http://a.com/a/b?q#z"]
[URI.join("http://a.com/", "mailto:x@y").to_s, URI.join("http://a.com/a/b/c", "../../../../d").to_s, URI.join("http://a.com/a/", "./b/./c/..").to_s]  #=> ["mailto:x@y", "http://a.com/d", "http://a.com/a/b/"]
URI.join("a", "b")  #=> !URI::BadURIError: both URI are relative
(u = URI.join("http://u@a.com:8080/x", "y"); [u.host, u.port, u.userinfo, u.path])  #=> ["a.com", 8080, "u", "/y"]
[(URI.parse("http://a.com/x/y") + "z").to_s, URI.parse("http://a.com/x/y").merge("/q").to_s]  #=> ["http://a.com/x/z", "http://a.com/q"]
# ENV
[ENV["no such thing"], ENV.fetch("no such thing", 5), ENV.fetch("no such thing") { |n| n.upcase }, ENV.key?("no such thing")]  #=> [nil, 5, "NO SUCH THING", false]
ENV.fetch("NO_SUCH_THING")  #=> !KeyError: key not found: "NO_SUCH_THING"
[ENV.to_h.is_a?(Hash), ENV.to_h["no such thing"], ENV.each { |n, v| n }.equal?(ENV), ENV.select { |n, v| n == "no such thing" }, ENV.map { |n, v| 1 }.uniq.size <= 1, ENV.any? { |n, v| n == "no such thing" }]  #=> [true, nil, true, {}, true, false]
ENV[nil]  #=> !TypeError: no implicit conversion of nil into String
# Types
(t = Puppet::Type.type(:file); [t, t.name, t.inspect, t.key_attributes, t.validattr?(:x), t.validattr?("mode"), !!t.validproperty?(:mode), t.validproperty?(:zz), t.validparameter?(:path), t.attrtype(:mode), t.attrtype(:path), t.attrtype(:tag), t.attrtype(:zz), t.isomorphic?])  #=> [Puppet::Type::File, :file, "Puppet::Type::File", [:path], false, true, true, false, true, :property, :param, :meta, nil, true]
Puppet::Type.type(:file).parameters  #=> [:path, :backup, :recurse, :recurselimit, :max_files, :replace, :force, :ignore, :links, :purge, :sourceselect, :show_diff, :staging_location, :validate_cmd, :validate_replacement, :provider, :checksum, :source, :source_permissions, :selinux_ignore_defaults]
Puppet::Type.type("file").properties.map(&:name).sort  #=> [:checksum_value, :content, :ctime, :ensure, :group, :mode, :mtime, :owner, :selrange, :selrole, :seltype, :seluser, :target, :type]
[Puppet::Type.type(:no_such_type), Puppet::Type.type("Exec").isomorphic?, Puppet::Type.metaparams, Puppet::Type.metaparam?(:tag), Puppet::Type.type(:notify).allattrs]  #=> [nil, false, [:noop, :schedule, :audit, :loglevel, :alias, :tag, :require, :subscribe, :before, :notify, :stage], true, [:name, :message, :withpath, :noop, :schedule, :audit, :loglevel, :alias, :tag, :require, :subscribe, :before, :notify, :stage]]
(f = Puppet::Pops::Types::TypeFactory; [f.integer, f.string, f.any, f.data, f.boolean, f.undef, f.scalar, f.numeric, f.collection, f.default, f.binary].map(&:to_s))  #=> ["Integer", "String", "Any", "Data", "Boolean", "Undef", "Scalar", "Numeric", "Collection", "Default", "Binary"]
(f = Puppet::Pops::Types::TypeFactory; [f.array_of(f.integer), f.hash_of(f.string), f.hash_of(f.any, f.integer), f.hash_kv(f.string, f.data), f.array_of_data, f.hash_of_data, f.array_of(f.string, f.range(1, 3))].map(&:to_s))  #=> ["Array[Integer]", "Hash[Scalar, String]", "Hash[Integer, Any]", "Hash[String, Data]", "Array[Data]", "Hash[String, Data]", "Array[String, 1, 3]"]
(f = Puppet::Pops::Types::TypeFactory; [f.optional(f.string), f.not_undef(f.string), f.variant(f.string, f.integer), f.enum("a", "b"), f.pattern("^a", /b/), f.regexp("x"), f.range(1, 5), f.range(1, :default), f.float_range(1.0, 2.0)].map(&:to_s))  #=> ["Optional[String]", "NotUndef[String]", "Variant[String, Integer]", "Enum['a', 'b']", "Pattern[/^a/, /b/]", "Regexp[/x/]", "Integer[1, 5]", "Integer[1]", "Float[1.0, 2.0]"]
(f = Puppet::Pops::Types::TypeFactory; [f.host_class("::apache::mod"), f.host_class, f.resource("file", "/x"), f.resource("file"), f.resource, f.type_type(f.string), f.tuple([f.string, f.integer]), f.struct({ "a" => f.string }), f.sensitive(f.string), f.boolean(true)].map(&:to_s))  #=> ["Class[apache::mod]", "Class", "File['/x']", "File", "Resource", "Type[String]", "Tuple[String, Integer]", "Struct[{'a' => String}]", "Sensitive[String]", "Boolean[true]"]
(c = Puppet::Pops::Types::StringConverter.singleton; [c.convert(5, "%x"), c.convert([1, "a"], :default), c.convert([1, "a"], "%p"), c.convert({ "a" => 1 }), c.convert(nil), c.convert(2.5, "%.2f")])  #=> ["5", "[1, 'a']", "[1, 'a']", "{'a' => 1}", "", "2.50"]
Puppet::Pops::Types::TypeMismatchDescriber.new.describe_mismatch("x", Puppet::Pops::Types::TypeFactory.integer, Puppet::Pops::Types::TypeFactory.string)  #=> "x expects an Integer value, got String"
# Singleton methods of the file's self
(define_singleton_method(:zz_of_file) { |x = 1| x + 1 }; [zz_of_file, zz_of_file(5)])  #=> [2, 6]
# URIs and their classes
(u = URI.parse("https://u:p@h.org:8443/a?b#c"); [u.class, u.is_a?(URI::HTTP), u.is_a?(URI::HTTPS), u.is_a?(URI::Generic), u.kind_of?(URI::FTP), URI::HTTP === u])  #=> [URI::HTTPS, true, true, true, false, true]
[URI.parse("http://h").is_a?(URI::HTTPS), URI("a/b").class, URI("ftp://h/x").class, URI("mailto:a@b.c").class, URI("ldap://h/x").class, URI("file:///x").class]  #=> [false, URI::Generic, URI::FTP, URI::MailTo, URI::LDAP, URI::File]
(u = URI("http://[::1]:80/x"); [u.host, u.hostname, u.port, u.to_s, u.inspect])  #=> ["[::1]", "::1", 80, "http://[::1]/x", "#<URI::HTTP http://[::1]/x>"]
[URI("http://h") == URI("http://h/"), URI("http://H/") == URI("http://h/"), URI("http://h/a") == URI("http://h/b"), URI("http://h") == "http://h"]  #=> [true, true, false, false]
URI::HTTP.build(host: "h.org", path: "/a", query: "x=1").to_s  #=> "http://h.org/a?x=1"
URI::HTTPS.build(host: "h.org", port: 444).to_s  #=> "https://h.org:444"
URI::Generic.build(scheme: "redis", host: "h", port: 6379, path: "/0").to_s  #=> "redis://h:6379/0"
[443, 80, nil].map { |port| (u = URI::Generic.build(scheme: "https", host: "h", port: port, path: "/x"); [u.to_s, u.port, u.default_port, u.class]) }  #=> [["https://h:443/x", 443, nil, URI::Generic], ["https://h:80/x", 80, nil, URI::Generic], ["https://h/x", nil, nil, URI::Generic]]
(u = URI::Generic.build(scheme: "http", host: "h", path: "/x"); u.port = 80; [u.to_s, u.inspect, u == URI("http://h/x"), (u + "y").to_s])  #=> ["http://h:80/x", "#<URI::Generic http://h:80/x>", false, "http://h:80/y"]
URI::HTTP.build(host: "h_x!", path: "a")  #=> !URI::InvalidComponentError: bad component(expected host component): h_x!
URI::HTTP.build(host: "h", path: "a")  #=> !URI::InvalidComponentError: bad component(expected absolute path component): a
URI.parse("http://a b")  #=> !URI::InvalidURIError: bad URI(is not URI?): "http://a b"
URI.parse("http://ä")  #=> !URI::InvalidURIError: URI must be ascii only "http://\u00E4"
URI.parse("http://h:x/")  #=> !URI::InvalidURIError: bad URI(is not URI?): "http://h:x/"
(URI.parse("1:2") rescue $!.class)  #=> URI::InvalidURIError
(u = URI("http://h:81/p"); u.port = 80; u.to_s)  #=> "http://h/p"
(u = URI("HTTP://H.org/P"); [u.scheme, u.host, u.path, u.to_s])  #=> ["http", "H.org", "/P", "http://H.org/P"]
[URI("http://h?a b".gsub(" ", "%20")).request_uri, URI("mailto:a@b.c").opaque, URI("urn:x:y").opaque, URI("urn:x:y").to_s]  #=> ["/?a%20b", "a@b.c", "x:y", "urn:x:y"]
(begin; URI.parse("http://["); rescue URI::Error => e; e.class; end)  #=> URI::InvalidURIError
"http://a.b/c" =~ /\A#{URI.regexp(%w[http https])}\z/  #=> 0
("ftp://a.b/c" =~ /\A#{URI::DEFAULT_PARSER.make_regexp(%w[http https])}\z/).inspect  #=> "nil"
"x http://a.b/c y"[URI.regexp]  #=> "http://a.b/c"
URI.extract("see http://a.b/c and mailto:x@y.z now", %w[http])  #=> ["http://a.b/c"]
URI.split("http://h/p")[2]  #=> "h"
URI.split("http://u@h:1/p?q#f")  #=> ["http", "u", "h", "1", nil, "/p", nil, "q", "f"]
URI.extract("a http://x.y mailto:a@b c:d")  #=> ["http://x.y", "mailto:a@b", "c:d"]
[URI::DEFAULT_PARSER.escape("a b/ü?"), URI::DEFAULT_PARSER.unescape("a%20b%C3%BC"), URI::DEFAULT_PARSER.escape("a/b", "/"), URI::Parser.new.escape("a b")]  #=> ["a%20b/%C3%BC?", "a bü", "a%2Fb", "a%20b"]
["http://[::1]:80/", "https:foo", "http://u:p@h:1/", "x", "http:", "http://h_x/a;b?c"].map { |u| u[/\A#{URI.regexp}\z/] }  #=> ["http://[::1]:80/", "https:foo", "http://u:p@h:1/", nil, "http:", "http://h_x/a;b?c"]
URI.regexp.match("x http://a b").to_a  #=> ["http://a", "http", nil, nil, "a", nil, nil, nil, nil, nil]
# changes of ENV last until the end of the compile
(ENV["CATWALK_X"] = "1"; [ENV["CATWALK_X"], ENV.key?("CATWALK_X"), ENV.fetch("CATWALK_X"), ENV.to_h["CATWALK_X"], ENV.delete("CATWALK_X"), ENV["CATWALK_X"]])  #=> ["1", true, "1", "1", "1", nil]
ENV["CATWALK_X"] = 1  #=> !TypeError: no implicit conversion of Integer into String
# Messages of disabled levels: their arguments are still evaluated.
$lg1 = 0; class LgB; def to_s; $lg1 += 1; "k" end; def inspect; $lg1 += 10; "i" end end; k = LgB.new; Puppet.debug "obj #{k} #{k.inspect} #{[k].inspect}"; $lg1  #=> 21
x = 0; Puppet.debug "n #{x += 1}"; Puppet.info "n #{x += 1}"; x  #=> 2
x = [1]; Puppet.debug "n #{x.pop}"; x  #=> []
x = [1]; Puppet.debug "n #{x << 2} #{x.inspect}"; x  #=> [1, 2]
(Puppet.debug("n #{1 / 0}") rescue $!.message)  #=> "divided by 0"
(Puppet.debug("n #{nope_here}") rescue $!.class)  #=> NameError
x = nil; (Puppet.debug("n #{x.foo}") rescue $!.class)  #=> NoMethodError
def lgf; $lg2 = ($lg2 || 0) + 1; "f" end; Puppet.debug lgf; Puppet.debug "a" + lgf; Puppet.debug("#{lgf}"); $lg2  #=> 3
Puppet.debug "x #{@lg4 ||= 5}"; @lg4  #=> 5
h = { a: [1, { b: LgB }] } rescue 0; Puppet.debug "h #{h.inspect}"; 1  #=> 1
# ENV is an object with methods of its own
ENV.dup  #=> !TypeError: Cannot dup ENV, use ENV.to_h to get a copy of ENV as a hash
ENV.freeze  #=> !TypeError: cannot freeze ENV
ENV["a", 1]  #=> !ArgumentError: wrong number of arguments (given 2, expected 1)
ENV.fetch(1)  #=> !TypeError: no implicit conversion of Integer into String
(ENV["CATWALK_B"] = "b"; [ENV.slice("CATWALK_B"), ENV.values_at("CATWALK_B", "CATWALK_NO"), ENV.key("b").class, ENV.assoc("CATWALK_B"), ENV.rassoc("no such value"), ENV.find { |k, v| k == "CATWALK_B" }, ENV.each_with_object([]) { |(k, v), l| l << v if k == "CATWALK_B" }])  #=> [{"CATWALK_B"=>"b"}, ["b", nil], String, ["CATWALK_B", "b"], nil, ["CATWALK_B", "b"], ["b"]]
(ENV["CATWALK_B"] = "b"; [ENV.count { |k, v| k == "CATWALK_B" }, ENV.min_by { |k, v| k == "CATWALK_B" ? 0 : 1 }, ENV.reject { |k, v| k != "CATWALK_B" }, ENV.find_all { |k, v| k == "CATWALK_B" }, ENV.to_a.include?(["CATWALK_B", "b"]), ENV.each_pair.class, ENV.has_value?("b"), ENV.inspect.include?('"CATWALK_B"=>"b"'), ENV.to_s, ENV.class, ENV.respond_to?(:fetch), ENV.respond_to?(:map), ENV.is_a?(Enumerable)])  #=> [1, ["CATWALK_B", "b"], {"CATWALK_B"=>"b"}, [["CATWALK_B", "b"]], true, Enumerator, true, true, "ENV", Object, true, true, true]
URI.escape("a b")  #=> !NoMethodError: undefined method `escape' for URI:Module
ENV.count { |k, v| k == "CATWALK_B" }  #=> 0
ENV.find_all { |k, v| k == "CATWALK_B" }  #=> []
ENV.each_pair.class  #=> Enumerator
ENV.respond_to?(:map)  #=> true
ENV.class  #=> Object
ENV.is_a?(Enumerable)  #=> true
ENV.instance_of?(Object)  #=> true
ENV.is_a?(Module)  #=> false
