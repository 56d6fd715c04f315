//! Documentation of the language's data types: parameters, constructors, examples.
//!
//! In: nothing. Out: the table [`ALL`]. Must not: be used by the type system. The examples run as tests, and are compared
//! with Puppet (`tests/reference/examples`).

/// A data type.
#[derive(Debug)]
pub struct DataType {
    /// The name.
    pub name: &'static str,
    /// The forms of the type with parameters.
    pub forms: &'static [&'static str],
    /// The signatures of `new`.
    pub constructors: &'static [&'static str],
    /// The values that match, and unexpected behaviour. Lists contain only the first sentence.
    pub doc: &'static str,
    /// Examples: expressions and their results.
    pub examples: &'static [(&'static str, &'static str)],
}

/// Every data type, in alphabetical order.
pub const ALL: &[DataType] = &[
    DataType {
        name: "Any",
        forms: &["Any"],
        constructors: &[],
        doc: "Matches every value, also `undef`.",
        examples: &[("[undef =~ Any, 1 =~ Any]", "[true, true]"), ("Integer <= Any", "true")],
    },
    DataType {
        name: "Array",
        forms: &["Array", "Array[TYPE]", "Array[TYPE, MIN, MAX]"],
        constructors: &["Array(VALUE, WRAP = false)"],
        doc: "Matches arrays whose elements are all of a type (`Data` by default), and whose length is in a range. \
              `Array(x)` converts an iterable to an array; a hash becomes pairs; with `true` a value that is not an \
              array is put into one.",
        examples: &[
            ("[1, 2] =~ Array[Integer, 1, 3]", "true"),
            ("Array({'a' => 1})", "[['a', 1]]"),
            ("Array('x', true)", "['x']"),
        ],
    },
    DataType {
        name: "Binary",
        forms: &["Binary"],
        constructors: &["Binary(STRING, FORMAT = '%B')", "Binary(ARRAY_OF_BYTES)"],
        doc: "Matches binary data. A string is decoded by a format: `%B` strict Base64, `%b` Base64 with line ends, \
              `%u` Base64 for URLs, `%s` the string's bytes in UTF-8, `%r` the bytes unchanged.",
        examples: &[("Binary('AQI=') == Binary([1, 2])", "true"), ("String(Binary('Hi', '%s'), '%s')", "'Hi'")],
    },
    DataType {
        name: "Boolean",
        forms: &["Boolean", "Boolean[VALUE]"],
        constructors: &["Boolean(VALUE)"],
        doc: "Matches `true` and `false`. Created from a number (0 is false) or a string: `true`, `yes`, `y` and \
              `false`, `no`, `n` in any case.",
        examples: &[
            ("Boolean('Yes')", "true"),
            ("Boolean(0)", "false"),
            ("Boolean('maybe')", "error: The string 'maybe' cannot be converted to Boolean"),
        ],
    },
    DataType {
        name: "Callable",
        forms: &[
            "Callable",
            "Callable[TYPE, …]",
            "Callable[TYPE, …, MIN, MAX]",
            "Callable[TYPE, …, CALLABLE]",
            "Callable[[TYPE, …], RETURN]",
        ],
        constructors: &[],
        doc: "Matches blocks that can be called with arguments of these types; used as the type of a parameter \
              `&$block`. A range says how often the last type may occur; a last `Callable` is the block of the block.",
        examples: &[("Callable[Integer] <= Callable", "true"), ("Callable[Any] <= Callable[Integer]", "true")],
    },
    DataType {
        name: "CatalogEntry",
        forms: &["CatalogEntry"],
        constructors: &[],
        doc: "Matches references to classes and resources: the common parent of `Class` and `Resource`.",
        examples: &[("Notify['x'] =~ Type[CatalogEntry]", "true"), ("'Notify[x]' =~ CatalogEntry", "false")],
    },
    DataType {
        name: "Class",
        forms: &["Class", "Class[NAME]"],
        constructors: &[],
        doc: "Matches references to a class. References are types, so a reference is an instance of `Type[Class]`.",
        examples: &[("Class['example'] =~ Type[Class]", "true"), ("Class['a'] == Class['::A']", "true")],
    },
    DataType {
        name: "Collection",
        forms: &["Collection", "Collection[MIN, MAX]"],
        constructors: &[],
        doc: "Matches arrays and hashes whose number of elements is in a range.",
        examples: &[
            ("[[1], {'a' => 1}].all |$x| { $x =~ Collection[1, 1] }", "true"),
            ("'text' =~ Collection", "false"),
        ],
    },
    DataType {
        name: "Data",
        forms: &["Data"],
        constructors: &[],
        doc: "Matches what JSON can represent: `undef`, Booleans, numbers, strings, arrays of `Data`, and hashes of \
              strings to `Data`.",
        examples: &[("{'a' => [1, undef]} =~ Data", "true"), ("{1 => 'a'} =~ Data", "false")],
    },
    DataType {
        name: "Default",
        forms: &["Default"],
        constructors: &[],
        doc: "Matches the word `default` used as a value.",
        examples: &[("default =~ Default", "true"), ("'default' =~ Default", "false")],
    },
    DataType {
        name: "Deferred",
        forms: &["Deferred"],
        constructors: &["Deferred(FUNCTION, ARGUMENTS = [])", "Deferred(VARIABLE)"],
        doc: "A function call that the agent makes on the node, after it has received the catalog: for secrets and \
              facts known only there. A name with `$` reads a variable.",
        examples: &[("Deferred('upcase', ['a']) =~ Deferred", "true"), ("call(Deferred('upcase', ['a']))", "'A'")],
    },
    DataType {
        name: "Enum",
        forms: &["Enum[STRING, …]", "Enum[STRING, …, IGNORE_CASE]"],
        constructors: &[],
        doc: "Matches the listed strings; with `true` at the end ignoring case.",
        examples: &[
            ("'a' =~ Enum['a', 'b']", "true"),
            ("'A' =~ Enum['a', 'b', true]", "true"),
            ("'c' =~ Enum['a', 'b']", "false"),
        ],
    },
    DataType {
        name: "Error",
        forms: &["Error", "Error[KIND, ISSUE_CODE]"],
        constructors: &["Error(MESSAGE, KIND, ISSUE_CODE, PARTIAL_RESULT, DETAILS)"],
        doc: "A value that describes a failure. The parameters match kind and issue code by string, regular expression \
              or type.",
        examples: &[
            ("Error('went wrong', 'my/kind').message", "'went wrong'"),
            ("Error('x', 'my/kind') =~ Error['my/kind']", "true"),
        ],
    },
    DataType {
        name: "Float",
        forms: &["Float", "Float[MIN, MAX]"],
        constructors: &["Float(VALUE, ABSOLUTE = false)"],
        doc: "Matches floating point numbers in a range; `default` leaves an end open. Created from a number, Boolean, \
              Timespan, Timestamp, or a string, also with `0x` or `0b` as for `Integer`.",
        examples: &[
            ("Float('1.5')", "1.5"),
            ("0.5 =~ Float[0, 1]", "true"),
            ("Float('0x10')", "16.0"),
            ("1 =~ Float", "false"),
        ],
    },
    DataType {
        name: "Hash",
        forms: &["Hash", "Hash[KEY, VALUE]", "Hash[KEY, VALUE, MIN, MAX]"],
        constructors: &["Hash(VALUE)", "Hash(TREE, 'tree' or 'hash_tree')"],
        doc: "Matches hashes by the types of their keys and values and by a range of their size. Created from pairs, \
              from alternating keys and values, or with `tree` from the paths and values that `tree_each` returns.",
        examples: &[
            ("{'a' => 1} =~ Hash[String, Integer]", "true"),
            ("Hash([['a', 1], ['b', 2]])", "{'a' => 1, 'b' => 2}"),
            ("Hash(['a', 1])", "{'a' => 1}"),
        ],
    },
    DataType {
        name: "Init",
        forms: &["Init", "Init[TYPE]", "Init[TYPE, ARGUMENT, …]"],
        constructors: &["Init[TYPE](VALUE, …)"],
        doc: "Matches values from which a value of the type can be created; further parameters are further arguments \
              of `new`.",
        examples: &[("'12' =~ Init[Integer]", "true"), ("/x/ =~ Init[Integer]", "false")],
    },
    DataType {
        name: "Integer",
        forms: &["Integer", "Integer[MIN, MAX]"],
        constructors: &[
            "Integer(VALUE, RADIX = default, ABSOLUTE = false)",
            "Integer({from => VALUE, radix => RADIX, abs => ABSOLUTE})",
        ],
        doc: "Matches whole numbers in a range, both ends included; `default` leaves an end open. Created from a \
              number (the fraction is cut), Boolean, Timespan, Timestamp, or a string with an optional sign and `0x`, \
              `0b` or `0` for base 16, 2, 8; a radix must agree with such a prefix. A type with both ends is iterable.",
        examples: &[
            ("Integer('0xFF', 16)", "255"),
            ("Integer('-42', 10, true)", "42"),
            ("3 =~ Integer[1, default]", "true"),
            ("Integer[1, 3].map |$x| { $x * 2 }", "[2, 4, 6]"),
            ("Integer('one')", "error: The string 'one' cannot be converted to Integer"),
        ],
    },
    DataType {
        name: "Iterable",
        forms: &["Iterable", "Iterable[TYPE]"],
        constructors: &[],
        doc: "Matches what `each` and similar functions accept: arrays, hashes, strings, Integers from 0, Iterators, \
              and the types `Integer[FROM, TO]` and `Enum`.",
        examples: &[("[[1], 'ab', 3].all |$x| { $x =~ Iterable }", "true"), ("1.5 =~ Iterable", "false")],
    },
    DataType {
        name: "Iterator",
        forms: &["Iterator", "Iterator[TYPE]"],
        constructors: &[],
        doc: "Matches what `step`, `reverse_each` and `tree_each` return without a block: a sequence whose items are \
              computed when they are read. An Iterator cannot be in a catalog; `Array(…)` or `*` reads it.",
        examples: &[("[1, 2].reverse_each =~ Iterator[Integer]", "true"), ("Array([1, 2, 3].step(2))", "[1, 3]")],
    },
    DataType {
        name: "NotUndef",
        forms: &["NotUndef", "NotUndef[TYPE]", "NotUndef[STRING]"],
        constructors: &[],
        doc: "Matches what the type matches, except `undef`. Around a key of `Struct` it makes the key required.",
        examples: &[("undef =~ NotUndef", "false"), ("{'a' => 1} =~ Struct[{NotUndef['a'] => Any}]", "true")],
    },
    DataType {
        name: "Numeric",
        forms: &["Numeric"],
        constructors: &["Numeric(VALUE, ABSOLUTE = false)"],
        doc: "Matches Integer and Float. Created from a string, it is an Integer or a Float, depending on the string.",
        examples: &[("Numeric('10')", "10"), ("Numeric('1e1')", "10.0"), ("'1' =~ Numeric", "false")],
    },
    DataType {
        name: "Object",
        forms: &["Object", "Object[HASH]"],
        constructors: &[],
        doc: "A type of objects with attributes, defined by a hash with `name`, `parent`, `attributes`, `functions` \
              and others. Instances are created with `new`, from positional arguments or a hash; attributes are read \
              with a dot.",
        examples: &[
            ("Object[{name => 'Point', attributes => {'x' => Integer, 'y' => Integer}}].new(1, 2).x", "1"),
            ("Error('m') =~ Object", "true"),
        ],
    },
    DataType {
        name: "Optional",
        forms: &["Optional[TYPE]", "Optional[STRING]"],
        constructors: &[],
        doc: "Matches what the type matches, and `undef`. Around a key of `Struct` it makes the key optional.",
        examples: &[("undef =~ Optional[Integer]", "true"), ("{} =~ Struct[{Optional['a'] => Integer}]", "true")],
    },
    DataType {
        name: "Pattern",
        forms: &["Pattern", "Pattern[REGEXP, …]"],
        constructors: &[],
        doc: "Matches strings that match at least one of the regular expressions, which may be given as strings. They \
              match anywhere in the string unless anchored with `\\A` and `\\z`.",
        examples: &[("'abc' =~ Pattern[/\\Aa/, /z\\z/]", "true"), ("'bc' =~ Pattern[/\\Aa/]", "false")],
    },
    DataType {
        name: "Regexp",
        forms: &["Regexp", "Regexp[REGEXP]"],
        constructors: &["Regexp(STRING, ESCAPE = false)"],
        doc: "Matches regular expressions, not strings: use `Pattern` for those. `Regexp(x, true)` takes a string \
              literally.",
        examples: &[("/a/ =~ Regexp", "true"), ("'a+b' =~ Regexp('a+b', true)", "true")],
    },
    DataType {
        name: "Resource",
        forms: &["Resource", "Resource[TYPE]", "Resource[TYPE, TITLE]", "TYPE[TITLE, …]"],
        constructors: &[],
        doc: "Matches references to resources: `Resource['file', '/x']` is `File['/x']`. Several titles yield an array \
              of references. `REFERENCE['attribute']` returns the value of an attribute of a declared resource.",
        examples: &[
            ("Resource['file', '/x'] == File['/x']", "true"),
            ("notify { 'x': message => 'm' }\nNotify['x']['message']", "'m'"),
            ("File['/a'] =~ Type[Resource]", "true"),
        ],
    },
    DataType {
        name: "RichData",
        forms: &["RichData"],
        constructors: &[],
        doc: "Matches what catalogs with rich data can represent: `Data`, and also `default`, Regexp, SemVer, \
              SemVerRange, Timestamp, Timespan, URI, Binary, Sensitive, Deferred, types and objects; keys of hashes \
              may be any of these.",
        examples: &[("[/a/, default, Timespan(1)] =~ RichData", "true"), ("/a/ =~ Data", "false")],
    },
    DataType {
        name: "Runtime",
        forms: &["Runtime", "Runtime[RUNTIME, NAME]"],
        constructors: &[],
        doc: "A type of values of the language in which Puppet is written; manifests cannot create them. Needed only \
              for mappings in type sets.",
        examples: &[("1 =~ Runtime", "false"), ("Runtime['ruby', 'Symbol'] <= Runtime", "true")],
    },
    DataType {
        name: "Scalar",
        forms: &["Scalar"],
        constructors: &[],
        doc: "Matches numbers, strings, Booleans, Regexp, SemVer, Timestamp, Timespan.",
        examples: &[("[1, 'a', true, /x/].all |$x| { $x =~ Scalar }", "true"), ("[] =~ Scalar", "false")],
    },
    DataType {
        name: "ScalarData",
        forms: &["ScalarData"],
        constructors: &[],
        doc: "Matches numbers, strings and Booleans: the scalars of JSON.",
        examples: &[("[1, 'a', true].all |$x| { $x =~ ScalarData }", "true"), ("/x/ =~ ScalarData", "false")],
    },
    DataType {
        name: "SemVer",
        forms: &["SemVer", "SemVer[RANGE, …]"],
        constructors: &[
            "SemVer(STRING)",
            "SemVer(MAJOR, MINOR, PATCH, PRERELEASE, BUILD)",
            "SemVer({major => …, minor => …, patch => …})",
        ],
        doc: "Matches semantic versions that are in one of the ranges. `<` and `>` compare versions by the rules of \
              semantic versioning.",
        examples: &[
            ("SemVer('1.10.0') > SemVer('1.9.0')", "true"),
            ("SemVer('1.2.3') =~ SemVer['>=1.0.0 <2.0.0']", "true"),
            ("SemVer(1, 2, 3) == SemVer('1.2.3')", "true"),
        ],
    },
    DataType {
        name: "SemVerRange",
        forms: &["SemVerRange"],
        constructors: &["SemVerRange(STRING)", "SemVerRange(MIN, MAX, EXCLUDE_MAX = false)"],
        doc: "A range of semantic versions, such as `>=1.0.0 <2.0.0`, `~1.2`, `1.x` or `1.0.0 - 2.0.0`. The operator \
              `in` and `case` test whether a version is in it.",
        examples: &[
            ("SemVer('1.5.0') in SemVerRange('1.x')", "true"),
            ("SemVerRange('>=1.0.0') =~ SemVerRange", "true"),
        ],
    },
    DataType {
        name: "Sensitive",
        forms: &["Sensitive", "Sensitive[TYPE]"],
        constructors: &["Sensitive(VALUE)"],
        doc: "Hides a value: logs do not show it, and catalogs mark it. `unwrap` returns the value. A string that \
              contains it does not reveal it either.",
        examples: &[
            ("\"${Sensitive('secret')}\"", "'Sensitive [value redacted]'"),
            ("Sensitive('x').unwrap", "'x'"),
            ("Sensitive(1) =~ Sensitive[Integer]", "true"),
        ],
    },
    DataType {
        name: "String",
        forms: &["String", "String[MIN, MAX]"],
        constructors: &["String(VALUE, FORMAT)", "String(VALUE, {TYPE => FORMAT, …})"],
        doc: "Matches strings by a range of their number of characters. Created from any value with a format, or with \
              a map of types to formats: `%s` plain, `%p` as in code, `%d` `%x` `%o` `%b` for Integers, `%f` `%e` for \
              Floats, `%a` for arrays, `%h` for hashes, with `#` for an alternative form and in maps `separator`, \
              `separator2` and `string_formats`.",
        examples: &[
            ("'abc' =~ String[1, 3]", "true"),
            ("String(255, '%x')", "'ff'"),
            ("String([1, 'a'], '%p')", "\"[1, 'a']\""),
            ("String([1, 2], {Array => {format => '%(a', separator => ';'}})", "'(1;2)'"),
        ],
    },
    DataType {
        name: "Struct",
        forms: &["Struct[{KEY => TYPE, …}]"],
        constructors: &["Struct[…](HASH or ARRAY)"],
        doc: "Matches hashes with exactly these keys, each with a value of its type. A key may be missing if its type \
              accepts `undef` or if it is written `Optional['key']`.",
        examples: &[
            ("{'port' => 80} =~ Struct[{'port' => Integer, 'host' => Optional[String]}]", "true"),
            ("{'port' => 80, 'x' => 1} =~ Struct[{'port' => Integer}]", "false"),
        ],
    },
    DataType {
        name: "Timespan",
        forms: &["Timespan", "Timespan[MIN, MAX]"],
        constructors: &[
            "Timespan(SECONDS)",
            "Timespan(STRING, FORMAT)",
            "Timespan(DAYS, HOURS, MINUTES, SECONDS, …)",
            "Timespan({days => …, hours => …, minutes => …, seconds => …})",
        ],
        doc: "Matches durations with nanosecond precision. Timespans can be added to and subtracted from each other \
              and Timestamps.",
        examples: &[
            ("Timespan({'hours' => 1, 'minutes' => 30}) == Timespan(5400)", "true"),
            ("Integer(Timespan('1-02:00:00', '%D-%H:%M:%S'))", "93600"),
        ],
    },
    DataType {
        name: "Timestamp",
        forms: &["Timestamp", "Timestamp[FROM, TO]"],
        constructors: &[
            "Timestamp()",
            "Timestamp(SECONDS)",
            "Timestamp(STRING, FORMAT, TIMEZONE)",
            "Timestamp({string => …, format => …, timezone => …})",
        ],
        doc: "Matches points in time in UTC with nanosecond precision. Without arguments it is the current time. The \
              difference of two Timestamps is a Timespan.",
        examples: &[
            ("Timestamp('2020-01-02T00:00:00') - Timestamp('2020-01-01T00:00:00') == Timespan(86400)", "true"),
            ("Integer(Timestamp('1970-01-01T00:01:00'))", "60"),
        ],
    },
    DataType {
        name: "Tuple",
        forms: &["Tuple[TYPE, …]", "Tuple[TYPE, …, MIN, MAX]"],
        constructors: &["Tuple[…](ARRAY)"],
        doc: "Matches arrays by the types of their elements. A range limits the number of elements: the last type also \
              applies to further ones, and elements at the end may be missing.",
        examples: &[
            ("['a', 1] =~ Tuple[String, Integer]", "true"),
            ("['a', 1, 2] =~ Tuple[String, Integer, 1, 5]", "true"),
            ("['a'] =~ Tuple[String, Integer]", "false"),
        ],
    },
    DataType {
        name: "Type",
        forms: &["Type", "Type[TYPE]"],
        constructors: &["Type(STRING)"],
        doc: "Matches types: `Integer` is an instance of `Type[Numeric]`.",
        examples: &[("Integer =~ Type[Numeric]", "true"), ("1 =~ Type", "false")],
    },
    DataType {
        name: "TypeSet",
        forms: &["TypeSet[HASH]"],
        constructors: &[],
        doc: "A named, versioned set of types.",
        examples: &[("1 =~ TypeSet", "false"), ("TypeSet <= Any", "true")],
    },
    DataType {
        name: "URI",
        forms: &["URI", "URI[STRING or HASH]"],
        constructors: &["URI(STRING)", "URI({scheme => …, host => …, path => …})"],
        doc: "Matches URIs, whose parts are read with a dot; a parameter restricts the parts.",
        examples: &[
            ("URI('https://example.com:8443/a').port", "8443"),
            ("URI('http://example.com/a') =~ URI[{'scheme' => 'http'}]", "true"),
        ],
    },
    DataType {
        name: "Undef",
        forms: &["Undef"],
        constructors: &[],
        doc: "Matches `undef` only.",
        examples: &[("undef =~ Undef", "true"), ("'' =~ Undef", "false")],
    },
    DataType {
        name: "Variant",
        forms: &["Variant[TYPE, …]"],
        constructors: &[],
        doc: "Matches what at least one of the types matches.",
        examples: &[
            ("[1, 'a'].all |$x| { $x =~ Variant[Integer, String] }", "true"),
            ("true =~ Variant[Integer, String]", "false"),
        ],
    },
];
