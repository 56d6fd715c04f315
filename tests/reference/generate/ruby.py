"""Ruby code of templates: expressions of strings, arrays, hashes and numbers, blocks, control flow between tags."""

from .tree import n, seq

STRINGS = ['"abc"', '"a b c"', '""', '"x=1;y=2"', '"Foo Bar"', '"10"', '"0x1f"', '"1.5"', '"é ü"', '"a\\nb\\n"', '" pad "', '"a,b,,c"', '"10.0.0.1"', '"%s-%d"', '"AbC"', '"/etc/x.conf"', '"key: value"', "%q(it's)", '"a-b_c"', '"aaa"', '"true"', "@s", "@s", "@t", '"#{@n}x"', '"a\\tb"', ':sym.to_s', '"12:34:56"', '"web1.example.com"']
ARRAYS = ["[1, 2, 3]", "[3, 1, 2]", "%w[b a c]", "[]", "[nil, 1]", "[[1, 2], [3, 4]]", '["a", "b", "a"]', "@l", "@l", "@m", "[1, 2.5]", '["10", "9"]', "[:a, :b]", "(1..4).to_a", "[true, nil, false]", "[{'a' => 1}, {'a' => 2}]", "[[:k, 1]]", '["x1", "x10", "x2"]']
HASHES = ["{'a' => 1, 'b' => 2}", "{}", "@h", "@h", "{'b' => 1, 'a' => 2}", "{:a => 1, 'b' => nil}", "{a: 1, b: [2]}", "@deep", "{'x' => {'y' => 'z'}}", "{1 => 'one', 2 => 'two'}"]
NUMBERS = ["0", "1", "2", "3", "7", "-1", "10", "255", "@n", "1.5", "2.0", "-2.5", "100", "3.14159", "1e3", "99"]
REGEXPS = ["/a/", "/[bc]/", "/(\\w)(\\d*)/", "/\\s+/", "/^a/i", "/x(?<n>.)/", "/,/", "/\\./", "/(?:a|b)+/", "/[[:alpha:]]+/", "/\\A\\d+\\z/", "/$/"]
OTHERS = ["nil", "true", "false", ":sym", "(1..3)", "('a'..'d')", "(1...4)", "@nope", "@u", "1..2"]
# The result of a method; its receiver and arguments: $s a string, $a an array, $h a hash, $i a number, $r a regular expression, $x any value.
METHODS = {
    "s": {"s": ["upcase", "downcase", "capitalize", "swapcase", "strip", "lstrip", "rstrip", "chomp", "chomp($s)", "chop", "reverse", "to_s", "inspect", "dump", "succ", "next", "sub($r, $s)", "gsub($r, $s)", "gsub($s, $s)", "sub($s, $s)", "gsub($r) { |q| q.upcase }", "gsub($r) { $1.to_s + '!' }", "gsub(/[ac]/, 'a' => '1', 'c' => '2')", "tr($s, $s)", "tr('a-c', 'x')",
                 "tr('^a', '-')", "tr_s('a', 'b')", "delete($s)", "delete('a-c')", "squeeze", "squeeze('a')", "center($i)", "ljust($i, '.')", "rjust(8, '0')", "ljust(12)", "[0]", "[1..-1]", "[0, 2]", "[-1]", "[$r]", "[$s]", "[/(.)(.)/, 2]", "slice(0, 3)", "* 2", "+ $s", "% [1, 2]", "% 5", "insert(1, 'Z')", "prepend('P')", "each_char.to_a.join('.')", "unpack('a2').first.to_s",
                 "split($s).join('|')", "lines.map(&:chomp).join('/')", "scan($r).join('+')", "freeze", "dup", "<< 'tail'", "encoding.to_s", "unicode_normalize", "replace('r')", "concat('c')", "partition('=').last", "rpartition('.').first", "delete_suffix('c')", "delete_prefix('a')", "sub(/(b)/, '<\\\\1>')", "gsub(/(?<v>b)/, '[\\k<v>]')", "to_sym.inspect", "ljust(2).size.to_s", "upto('e').to_a.join", "crypt('ab')",
                 "each_line.map { |q| q.strip }.join(',')", "force_encoding('UTF-8')", "encode('UTF-8')", "b.length.to_s", "scrub", "tr('a-y', 'b-z')", "sum.to_s", "hex.to_s", "oct.to_s", "to_i.to_s", "to_f.to_s", "to_r.to_s", "capitalize.sub('A', 'b')", "then { |q| q + '!' }", "itself", "slice(/[a-z]+/).to_s", "byteslice(0, 2)", "casecmp($s).to_s", "undump"],
          "a": ["join", "join(',')", "join(', ')", "inspect", "to_s", "first.to_s", "last.to_s", "min.to_s", "max.to_s", "map(&:to_s).join('-')", "pack('C*')", "sum.to_s", "inject { |q, w| q.to_s + w.to_s }.to_s", "map { |q| \"<#{q}>\" }.join", "each_with_index.map { |q, i| \"#{i}#{q}\" }.join(' ')", "pack('U*')", "* ','", "reduce(:+).to_s", "sample.class.to_s", "to_a.inspect"],
          "h": ["inspect", "to_s", "keys.join(',')", "map { |k, v| \"#{k}=#{v}\" }.join('&')", "to_a.inspect", "sort.map { |k, v| \"#{k}:#{v}\" }.join(';')", "fetch('a', 'd').to_s", "['a'].to_s", "key(1).to_s", "keys.first.class.to_s", "to_a.flatten.join(' ')", "default.inspect", "sort_by { |k, v| v.to_s }.inspect", "min_by { |k, v| k.to_s }.inspect"],
          "i": ["to_s", "to_s(2)", "inspect", "to_s(16)", "to_s.rjust(5, '0')", "round(2).to_s", "chr", "class.to_s", "divmod(3).inspect", "to_s.reverse", "digits.inspect", "rationalize(1).to_s", "floor(-1).to_s", "ceil(1).to_s", "to_r.to_s"],
          "x": ["to_s", "inspect", "class.to_s", "nil?.to_s", "to_a.inspect", "is_a?(String).to_s", "respond_to?(:each).to_s", "frozen?.to_s", "class.name", "instance_of?(Integer).to_s", "to_json", "hash.class.to_s"]},
    "a": {"s": ["split", "split($s)", "split($r)", "split(',', 2)", "split(',', -1)", "split('')", "chars", "bytes", "lines", "scan($r)", "partition($s)", "rpartition($s)", "each_char.to_a", "upto('ac').first(2)", "codepoints", "split(/(,)/)", "each_line.to_a", "unpack('C*')", "match($r).to_a", "scan(/(\\w)(\\w)/)", "each_char.with_index.to_a", "unpack('H*')", "lines(chomp: true)", "split(' ', 2)", "each_grapheme_cluster.to_a"],
          "a": ["map { |q| q.to_s }", "map(&:to_s)", "collect { |q| [q, 1] }", "select { |q| q }", "reject(&:nil?)", "sort", "sort { |q, w| w <=> q }", "sort_by { |q| q.to_s }", "reverse", "uniq", "flatten", "flatten(1)", "compact", "first(2)", "last(2)", "take(1)", "drop(1)", "[0, 2]", "[1..-1]", "[0..1]", "zip($a)", "+ $a", "- $a", "& $a", "| $a", "* 2", "push($x)", "<< $x", "rotate", "rotate(-1)",
                "each_slice(2).to_a", "each_cons(2).to_a", "each_with_index.to_a", "each_with_index.map { |q, i| [i, q] }", "partition { |q| q.to_s > '1' }", "group_by(&:class).to_a.flatten", "flat_map { |q| [q, q] }", "values_at(0, -1, 9)", "transpose", "product([1, 2])", "combination(2).to_a", "permutation(2).first(2)", "each_with_object([]) { |q, acc| acc << q }", "tally.to_a", "take_while { |q| q }", "drop_while { |q| q }",
                "min(2)", "max(2)", "minmax", "insert(1, $x)", "delete_if { |q| q.nil? }", "keep_if { |q| q }", "fill(0)", "slice_when { |q, w| q.to_s > w.to_s }.to_a", "chunk_while { |q, w| q == w }.to_a", "filter_map { |q| q && q.to_s }", "each_entry.to_a", "cycle.first(3)", "sum { |q| q.to_s.size }.digits", "inject([]) { |acc, q| acc + [q] }", "to_a", "dup", "unshift($x)", "concat($a)", "reverse_each.to_a", "map.with_index(1) { |q, i| [q, i] }", "each { |q| q }",
                "grep($r)", "grep_v(Integer)", "uniq { |q| q.to_s.size }", "sort.reverse", "sort_by { |q| [-q.to_s.size, q.to_s] }", "max_by(2) { |q| q.to_s }", "step(2)", "assoc($x).to_a", "difference($a)", "union($a)", "intersection($a)", "lazy.map { |q| q }.to_a", "each_index.to_a", "shift(1)", "pop(1)", "zip", "bsearch { |q| true }.to_s.chars", "to_set.to_a", "inject(:+).to_s.chars", "slice(1, 1).to_a"],
          "h": ["keys", "values", "to_a", "sort", "map { |k, v| k }", "select { |k, v| v }.keys", "sort_by { |k, v| k.to_s }", "values_at('a', 'z')", "find { |k, v| v }.to_a", "group_by { |k, v| v.class.to_s }.to_a", "partition { |k, v| v }", "flat_map { |k, v| [k] }", "each_with_index.map { |(k, v), i| [k, i] }", "min_by { |k, v| v.to_s }.to_a", "reduce([]) { |acc, (k, v)| acc << k }", "each_slice(1).to_a", "filter_map { |k, v| k if v }", "sum { |k, v| 1 }.digits", "zip([1])", "first(1)", "collect { |q| q }", "each_pair.to_a", "reject { |k, v| v.nil? }.to_a", "fetch_values('a') { |k| k }", "flatten", "assoc('a').to_a", "sort { |q, w| q[0].to_s <=> w[0].to_s }"],
          "i": ["digits", "times.to_a", "times.map { |q| q * 2 }", "upto(5).to_a", "downto(-1).to_a", "divmod(3)", "step(10, 4).to_a", "coerce(2)", "times.select(&:even?)"], "x": ["to_a", "to_s.chars"]},
    "h": {"a": ["to_h { |q| [q, 1] }", "each_with_index.to_h", "group_by { |q| q.to_s.size }", "tally", "zip([1, 2]).to_h", "each_with_object({}) { |q, acc| acc[q] = 1 }", "inject({}) { |acc, q| acc.merge(q => 1) }", "map { |q| [q.to_s, q] }.to_h", "group_by(&:class).transform_keys(&:to_s)"],
          "h": ["merge($h)", "merge($h) { |k, q, w| [q, w] }", "select { |k, v| v }", "reject { |k, v| v.nil? }", "sort.to_h", "invert", "transform_values(&:to_s)", "transform_values { |v| [v] }", "transform_keys(&:to_s)", "compact", "to_h", "min_by { |k, v| k.to_s }.to_a.each_slice(2).to_h", "to_h { |k, v| [v, k] }", "filter { |k, v| k }", "slice('a')", "except('a')", "sort_by { |k, v| k.to_s }.to_h", "dup", "each { |k, v| k }", "delete_if { |k, v| v == 1 }", "update($h)", "group_by { |k, v| v.class.to_s }", "partition { |k, v| v }.to_h", "each_with_object({}) { |(k, v), acc| acc[k.to_s] = v }", "store('q', 1).class", "tap { |q| q.delete('a') }", "find_all { |k, v| v }.to_h", "reduce({}) { |acc, (k, v)| acc.merge(k.to_s => v) }", "merge!($h)", "any? ? {} : {}", "sum { 1 }.digits.tally", "key?('a') ? {} : {1 => 2}", "each_with_index.to_h", "rehash", "default"]},
    "i": {"s": ["length", "size", "to_i", "hex", "oct", "count($s)", "index($s)", "rindex($s)", "ord", "<=> $s", "=~ $r", "bytesize", "to_f", "sum", "casecmp($s)", "to_i(16)", "to_i(2)", "count('a-z')", "count('^a')", "index($r)", "to_c.real", "to_r.to_f"], "a": ["length", "size", "count", "count($x)", "sum", "index($x)", "first", "last", "min", "max", "inject(:+)", "map(&:to_i).sum", "find_index { |q| q }", "count { |q| q }", "reduce(0) { |q, w| q + w.to_i }", "<=> $a", "sum(0.0)", "minmax.size"],
          "h": ["length", "size", "count", "values.size", "count { |k, v| v }", "sum { |k, v| v.to_s.size }", "keys.size"], "i": ["+ $i", "- $i", "* $i", "/ $i", "% $i", "** 2", "abs", "round", "floor", "ceil", "to_i", "to_f", "succ", "pred", "round(1)", "floor(1)", "fdiv(3)", "div(3)", "modulo(4)", "clamp(0, 5)", "gcd(4)", "lcm(4)", "<=> $i", "& 6", "| 8", "^ 3", "<< 2", ">> 1", "truncate", "remainder(3)", "pow(2)", "bit_length", "round(-1)", "ord", "numerator", "to_c.real", "quo(2)"]},
    "x": {"s": ["empty?", "include?($s)", "start_with?($s)", "end_with?($s)", "match?($r)", "=~ $r", "== $x", "eql?($s)", "between?('a', 'z')", "to_sym", "match($r)", "!~ $r", "ascii_only?", "valid_encoding?", "casecmp?($s)", "frozen?", "nil?", "is_a?(Comparable)", "> $s", "<= $s", "respond_to?(:upcase)", "[9]", "sub!('q', 'w')", "chomp!", "upcase!", "gsub!($r, 'z')", "slice!(0)", "equal?($s)", "!= $x", "start_with?($r)", "unpack1('a')", "kind_of?(Object)", "instance_variables"],
          "a": ["empty?", "any?", "all?", "none?", "one?", "include?($x)", "first", "last", "[0]", "[-1]", "[9]", "find { |q| q }", "detect(&:nil?)", "dig(0)", "fetch(0, 'd')", "fetch(9, 'd')", "any? { |q| q == 1 }", "all?(Integer)", "min", "max", "== $a", "nil?", "sample.nil?", "delete($x)", "compact!", "uniq!", "flatten!", "pop", "shift", "inject { |q, w| q }", "min_by { |q| q.to_s }", "max_by { |q| q.to_s }", "fetch(9)", "at(1)", "delete_at(0)", "eql?($a)", "frozen?", "is_a?(Enumerable)", "each_slice(2)", "first(-1)", "find_index($x)", "slice!(0)", "member?($x)", "entries", "map", "reject!(&:nil?)", "sum", "dig(0, 0)", "each_with_index.first"],
          "h": ["empty?", "key?('a')", "has_key?('b')", "include?('a')", "value?(1)", "any?", "['a']", "[:a]", "fetch('a', nil)", "fetch('zz')", "fetch('zz') { |k| k }", "dig('x', 'y')", "key(2)", "any? { |k, v| v }", "all? { |k, v| k }", "find { |k, v| v }", "first", "delete('a')", "== $h", "nil?", "min_by { |k, v| v.to_s }", "member?('a')", "none?", "count", "dig('a', 'b')", "sum { |k, v| v.to_i }", "to_a[0]", "max_by { |k, v| v.to_s }", "compare_by_identity.size", "default", "has_value?(nil)", "shift", "reduce { |q, w| q }", "each_pair.next"],
          "i": ["zero?", "even?", "odd?", "positive?", "negative?", "== $i", "> $i", "<= $i", "between?(1, 5)", "integer?", "nil?", "is_a?(Integer)", "finite?", "nonzero?", "infinite?", "nan?", "eql?($i)", "equal?(1)", "kind_of?(Numeric)", "=== $i", "instance_of?(Float)", "!= $i", "chr", "size"], "x": ["nil?", "== $x", "is_a?(Array)", "!", "to_s", "&.to_s", "&.length", "|| 'other'", "&& 'then'", "=== $x", "respond_to?(:to_a)", "itself", "then { |q| q }", "first", "size", "each", "to_a", "include?(2)", "frozen?", "undefined_method_q", "nosuch(1)"]},
}
POOLS = {"s": STRINGS, "a": ARRAYS, "h": HASHES, "i": NUMBERS, "x": OTHERS}
VARIABLES = """$s = 'some text'
$t = 'a=1,b=2'
$n = 5
$l = ['x', 'y', 'z']
$m = [3, 1, [2, 'a']]
$h = {'a' => 1, 'b' => 'two', 'c' => [3]}
$deep = {'x' => {'y' => 'z', 'l' => [{'k' => 'v'}]}, 'on' => true}
$u = undef
"""
WHOLE = ["<% $a.each do |e| -%>\n<%= e %>,\n<% end -%>", "<% if $x %>yes<% else %>no<% end %>", "<% unless $x -%>\nno\n<% end -%>", "<% $h.each do |k, v| -%>\n<%= k %>=<%= v.inspect %>\n<% end %>", "<% $a.each_with_index do |e, i| %><%= i %>:<%= e %> <% end %>", "<% q = $s; r = $i -%>\n<%= q * 2 %> <%= r %>", "<%# note %>a <%% b %%> <%= $s -%>\nc",
         "<% case $x when nil then %>n<% when String then %>s<% else %>o<% end %>", "<%- $a.sort_by(&:to_s).each do |e| -%>\n  - <%= e %>\n<%- end -%>", "<% i = 0; while i < 3 -%>\n<%= i += 1 %>\n<% end -%>", "<%= $h.sort.map { |k, v| \"#{k} = #{v}\" }.join(\"\\n\") %>\n", "<% @h.keys.sort.each do |k| -%>\n<%= k %>: <%= @h[k] %>\n<% end -%>", "<%= scope['s'] %> <%= scope.lookupvar('n') %> <%= has_variable?('nope') %> <%= scope['facts']['os']['name'] %>",
         "<% begin -%>\n<%= $x.fetch(9) %>\n<% rescue => e -%>\n<%= e.class %>: <%= e.message %>\n<% end -%>", "<%= @facts['kernel'] %> <%= @kernel %> <%= @nope.inspect %>", "<% f = lambda { |q| q.to_s.upcase } -%>\n<%= f.call($x) %> <%= f.($s) %> <%= $a.map(&f).inspect %>", "<%= format('%-5s|%05d|%.2f', $s, $i, $i) %>", "<%= [$s, $s].map { |q| q.length }.max %>\n<%= \"%3d%%\" % $i %>", "<% x, *y = $a -%>\n<%= x.inspect %> <%= y.inspect %>",
         "<%= $x ? 'y' : 'n' %> <%= ($x || 'd') %> <%= $x.nil? %>", "<% def q_(z) z.to_s * 2 end -%>\n<%= q_($s) %>", "<%= <<-T.strip\n  text #{$s}\n  T\n%>", "<% if $s =~ $r -%>\n<%= $1.inspect %> <%= $~[0] %> <%= $' %>\n<% end -%>", "<% $a.each do |e| next if e.nil?; break if e == 3 -%>\n<%= e %>\n<% end -%>", "<%= Array($x).inspect %> <%= Integer($s) rescue 'bad' %> <%= Float('1.5') %> <%= String($x) %>", "<% until true do %>x<% end %>e <%= ($i..9).step(3).to_a %>", "<%= $a.map do |e| e.to_s end.join('+') %>",
         "<%= $h.map { |k, v| v.is_a?(Array) ? v.join(',') : v }.compact.sort_by(&:to_s).join(' ') %>", "<%= scope.function_md5(['a']) %> <%= scope.call_function('upcase', ['b']) %>", "<%= $s.dup.tap { |q| q << 'x' } %> <%= defined?(zz).inspect %> <%= __method__.inspect %>", "<%= Struct.new(:a, :b).new(1, 2).to_a %> <%= [1, 2] <=> [1, 3] %>", "<%= %w[a b].each_with_object({}) { |q, acc| acc[q] = $i }.inspect %>", "<%= $x.respond_to?(:join) ? $x.join(' ') : $x %>", "<%= require 'json'; JSON.generate($x) %> <%= $a.to_json %> <%= JSON.pretty_generate($h) %>", "<%= require 'yaml'; $h.to_yaml %>", "<%= YAML.dump($x) %>"]


class Ruby:
    """A mixin of Generator."""

    def rb(self, kind, depth):
        """A Ruby expression whose value is mostly of this kind."""
        rng = self.rng
        if kind == "r":
            return n("rb_r", rng.choice(REGEXPS))
        if rng.random() < 0.03:
            kind = rng.choice("sahix")
        if depth <= 0 or rng.random() < 0.12:
            return n("rb_" + kind, rng.choice(POOLS[kind]))
        of = rng.choice([one for one in METHODS[kind] if one in POOLS])
        call = rng.choice(METHODS[kind][of])
        return n("rb_" + kind, *self.rb_call(self.rb(of, depth - 1), call, depth))

    def rb_call(self, receiver, call, depth):
        parts = ["(", receiver, ")"]
        if call[0].isalpha() or call.startswith("&."):
            parts.append("." if call[0].isalpha() else "")
        elif call[0] in "!" and call == "!":
            return ["!(", receiver, ")"]
        elif call[0] != "[":
            parts.append(" " if call not in ("~@") else ".")
        return parts + self.rb_filled(call, depth)

    def rb_filled(self, text, depth):
        """Replaces $s, $a … in a string by expressions; variables such as `$1` are Ruby's and stay."""
        parts, at = [], 0
        while (found := text.find("$", at)) >= 0:
            kind = text[found + 1:found + 2]
            after = text[found + 2:found + 3]
            if kind in "sahixr" and kind and not after.isalnum():
                parts += [text[:found], n("group", "(", self.rb(kind, depth - 2), ")") if text[found - 1:found] not in "(" else self.rb(kind, depth - 2)]
                text, at = text[found + 2:], 0
            else:
                at = found + 1
        return [*parts, text]

    def ruby_template(self):
        rng = self.rng
        pick = rng.random()
        if pick < 0.75:
            parts = []
            for _ in range(rng.choice([1, 1, 1, 2])):
                parts += ["<%= ", n("group", "(", self.rb(rng.choice("sssaaahhix"), rng.choice([1, 2, 2, 3])), ").inspect"), " %>\n"]
            body = n("raw", *parts)
        else:
            body = n("raw", *[part for text in rng.sample(WHOLE, rng.choice([1, 1, 2])) for part in self.rb_filled(text, 2)])
        marker = n("expr", "inline_template(@(ERB))\n", body, "\n| ERB\n")
        return n("code", VARIABLES, n("statement", marker))
