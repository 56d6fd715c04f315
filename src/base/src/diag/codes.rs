//! The codes of all errors and warnings, with what each means, what usually causes it and what to do.
//!
//! This is the only list: `docs/errors.md` and `catwalk docs errors` print it, and no other file can make a [`Code`]. Codes that Puppet
//! has (`Puppet::Pops::Issues`) keep Puppet's spelling, mistakes included. A code never changes its meaning: programs match on it.

use std::fmt::Display;
use std::fmt::Formatter;

/// The stable symbol of an error or warning, such as `UNKNOWN_VARIABLE`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Code(&'static str);

/// The documentation of one code.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The code.
    pub code: Code,
    /// Lines of Markdown, each beginning with a space: the meaning first, then usual causes and what to do.
    pub lines: &'static [&'static str],
    /// The help of errors that have no hint of their own: the command to run next.
    pub next: Option<&'static str>,
}

impl Entry {
    /// The lines as one string of Markdown.
    #[must_use]
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n")
    }
}

/// The codes of one area.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    /// A heading.
    pub title: &'static str,
    /// Its codes, in the order of the list.
    pub entries: &'static [Entry],
}

impl Code {
    /// The code's name, as programs see it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// The help of errors with this code that have no hint of their own: the command to run next.
    #[must_use]
    pub fn next_command(self) -> Option<&'static str> {
        entries().find(|entry| entry.code == self)?.next
    }

    /// Whether messages with this code are about a site rather than about one of its nodes: they are printed once, without nodes.
    #[must_use]
    pub fn is_about_site(self) -> bool {
        self == Code::CONFIG_VERSION
    }

    /// The code with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Code> {
        entries().map(|entry| entry.code).find(|code| code.0 == name)
    }
}

impl Display for Code {
    fn fmt(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        to.write_str(self.0)
    }
}

/// The documentation of every code.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    AREAS.iter().flat_map(|area| area.entries)
}

/// Defines a constant of [`Code`] and an [`Entry`] for each code; the documentation comment documents both.
macro_rules! codes {
    ($($area:literal { $($(#[doc = $line:literal])+ $name:ident $(=> $next:literal)?;)+ })+) => {
        impl Code {
            $($($(#[doc = $line])+ pub const $name: Code = Code(stringify!($name));)+)+
        }

        /// All codes by area.
        pub const AREAS: &[Area] = &[
            $(Area {
                title: $area,
                entries: &[
                    $(Entry { code: Code::$name, lines: &[$($line),+], next: first(&[$($next)?]) }),+
                ],
            }),+
        ];
    };
}

/// The only string, if there is one.
const fn first(strings: &[&'static str]) -> Option<&'static str> {
    match strings {
        [first, ..] => Some(first),
        [] => None,
    }
}

/// Codes that mark results within the program and are never shown.
impl Code {
    /// A type of a module, used where a script is loaded and only the data types of the language exist.
    pub const TYPE_OF_SITE: Code = Code("TYPE_OF_SITE");
    /// A file that has the name of a definition and cannot be used; its message is shown as a [`Code::RUNTIME_ERROR`].
    pub const UNUSABLE_FILE: Code = Code("UNUSABLE_FILE");
    /// A parameter that is read before it has a value. Its message is only the name; the caller writes the message.
    pub const UNEVALUATED_PARAMETER: Code = Code("UNEVALUATED_PARAMETER");
    /// An attribute that a resource type lacks; the caller adds the resource and reports a [`Code::RUNTIME_ERROR`].
    pub const NO_SUCH_PARAMETER: Code = Code("NO_SUCH_PARAMETER");
    /// A value that 3.x functions and catalogs have no equivalent for; reported as a [`Code::RUNTIME_ERROR`].
    pub const NOT_CONVERTIBLE: Code = Code("NOT_CONVERTIBLE");
    /// A data function has no value for a key (`context.not_found`): the lookup goes on with the next level.
    pub const LOOKUP_NOT_FOUND: Code = Code("LOOKUP_NOT_FOUND");
    /// A failure of the compile that the process of its script passes on; the help is the failure's number in that process.
    pub const REMOTE: Code = Code("REMOTE");
}

codes! {
    "Any part of a program" {
        /// A failure for which Puppet has no code either: `fail()`, a wrong argument of a function, an invalid value of an attribute.
        /// The message says what is wrong. The excerpt shows the call, the lines `in …, from …` how the compile got there.
        RUNTIME_ERROR;
        /// Code in Ruby raised an exception that is not one of Puppet's: in a function, a resource type or an ERB template.
        /// The message is the exception's. Check the arguments at the location that is shown first; then read the Ruby file.
        RUBY_ERROR;
        /// The code uses something that Catwalk does not have yet.
        /// `docs/status.md` lists what is missing. Leave that code out of the compile with a stand-in module or function, or report it.
        NOT_SUPPORTED_YET;
        /// Code of an untrusted site tried to start a process, use the network, read the environment or a file outside of the site.
        /// If you trust the code, leave out `--untrusted` (`CATWALK_UNTRUSTED`, `untrusted = true` in `catwalk.toml`).
        UNTRUSTED;
        /// A bug of Catwalk. Other nodes are not affected.
        /// Report it with the message and the manifest that causes it.
        INTERNAL_ERROR;
        /// The command was interrupted, with Ctrl-C or because a newer edit made its result useless.
        /// Run it again.
        INTERRUPTED;
    }

    "Reading source: tokens" {
        /// The source does not follow Puppet's grammar at this token.
        /// Usual causes: a missing comma, quote or brace, often on the line before. `catwalk check FILE` lists all syntax errors of a file.
        SYNTAX_ERROR;
        /// A file has so many errors that the rest is not shown.
        /// Fix the first ones; the others are often their consequences. Check that the file is a manifest at all.
        TOO_MANY_ERRORS;
        /// Expressions, blocks or strings are nested too deeply to be read safely.
        /// Usual cause: generated code. Split it into variables or functions.
        NESTED_TOO_DEEPLY;
        /// A string has no closing quote.
        /// Add it; the excerpt shows where the string begins. A quote within the string is written `\'` or `\"`.
        UNCLOSED_QUOTE;
        /// A comment that begins with `/*` has no `*/`.
        /// Add `*/`.
        UNCLOSED_MLCOMMENT;
        /// The file begins with a byte order mark that Puppet does not accept.
        /// Save the file as UTF-8 without byte order mark.
        ILLEGAL_BOM;
        /// A backslash in a string precedes a character that needs none; the backslash stays in the string.
        /// Write `\\` for a backslash, or remove it.
        UNRECOGNIZED_ESCAPE;
        /// `\u` is not followed by 4 hexadecimal digits, or by 1 to 6 of them in braces.
        /// Write `\u00e9` or `\u{1F600}`.
        ILLEGAL_UNICODE_ESCAPE;
        /// A number contains characters that do not belong to it, such as `12ab`.
        /// Quote it if it is a string.
        ILLEGAL_NUMBER;
        /// A number that begins with `0x` has characters that are not hexadecimal digits.
        /// Correct the digits, or quote it if it is a string.
        INVALID_HEX_NUMBER;
        /// A number that begins with `0` is octal and has other characters than `0` to `7`.
        /// Remove the leading zero, or quote it (`mode => '0644'`).
        INVALID_OCTAL_NUMBER;
        /// A decimal number is malformed, such as `1.2.3`.
        /// Quote versions and addresses: `'1.2.3'`.
        INVALID_DECIMAL_NUMBER;
        /// A name of a type is malformed after a single colon.
        /// Names are separated by two colons: `Apache::Vhost`.
        ILLEGAL_CLASS_REFERENCE;
        /// A name that begins with `::` and a capital letter is malformed.
        /// Each part of a type's name begins with a capital letter: `::Apache::Vhost`.
        ILLEGAL_FULLY_QUALIFIED_CLASS_REFERENCE;
        /// A name that begins with `::` is malformed.
        /// Each part begins with a lower case letter or `_`: `::apache::vhost`.
        ILLEGAL_FULLY_QUALIFIED_NAME;
        /// A regular expression cannot be compiled.
        /// The message names what is wrong in it. Escape characters such as `(`, `[`, `*`, `?` that are meant literally.
        REGEXP_ERROR;
    }

    "Reading source: heredocs and templates" {
        /// `@(` of a heredoc has no `)`.
        /// Close it on the line on which it begins: `@(END)`.
        HEREDOC_UNCLOSED_PARENTHESIS;
        /// Nothing follows the line of a heredoc's tag.
        /// Write the text on the next lines and end it with a line `| END`.
        HEREDOC_WITHOUT_TEXT;
        /// The end tag of a heredoc is missing.
        /// Usual cause: the tag is spelled differently, or other text is on its line. End with `| END` or `END` alone on a line.
        HEREDOC_WITHOUT_END_TAGGED_LINE;
        /// The tag of a heredoc is malformed.
        /// It is `@(END)`, `@(END:json)` or `@(END/n)`, with quotes `@("END")` if variables are interpolated.
        HEREDOC_INVALID_SYNTAX;
        /// The tag of a heredoc is empty.
        /// Name it: `@(END)`.
        HEREDOC_EMPTY_ENDTAG;
        /// An escape is listed twice after `/` in the tag of a heredoc.
        /// List each once: `@(END/tn)`.
        HEREDOC_MULTIPLE_AT_ESCAPES;
        /// An unknown escape is listed after `/` in the tag of a heredoc.
        /// Allowed are `t`, `r`, `n`, `s`, `u`, `L`, `$`.
        HEREDOC_INVALID_ESCAPE;
        /// A heredoc with escapes ends with a single backslash.
        /// Write `\\`, or leave the escapes out of the tag.
        HEREDOC_ENDS_WITH_BACKSLASH;
        /// `<%` in an EPP template has no `%>`.
        /// Close it; a literal `<%` is written `<%%`.
        EPP_UNBALANCED_TAG;
        /// `<%#` in an EPP template has no `%>`.
        /// Close the comment with `%>`.
        EPP_UNBALANCED_COMMENT;
        /// An EPP template ends within `<% … %>` or `<%= … %>`.
        /// Close the tag with `%>`.
        EPP_UNBALANCED_EXPRESSION;
        /// The parameters of an EPP template are not its first content.
        /// Begin the file with `<%- | String $name | -%>`, without spaces or comments before it.
        ILLEGAL_EPP_PARAMETERS;
        /// A heredoc that is tagged as JSON is not JSON.
        /// Correct it, or leave `:json` out of its tag.
        ILLEGAL_JSON;
        /// A heredoc that is tagged as base64 is not base64.
        /// Correct it, or leave `:base64` out of its tag.
        ILLEGAL_BASE64;
        /// A heredoc that is tagged as Puppet code does not parse.
        /// Correct it, or leave `:pp` out of its tag.
        ILLEGAL_PP;
        /// A heredoc that is tagged as EPP does not parse.
        /// Correct it, or leave `:epp` out of its tag.
        ILLEGAL_EPP;
        /// An ERB template does not parse as Ruby.
        /// Check `<% %>` tags and `end`s around the line; `catwalk check FILE` checks one template.
        TEMPLATE_SYNTAX;
    }

    "Validation of manifests" {
        /// `+=` or `-=` is not part of the language any more.
        /// Write `$b = $a + [1]` with a new variable.
        APPENDS_DELETES_NO_LONGER_SUPPORTED;
        /// A parameter `*$name` is not the last one.
        /// Move it to the end of the list.
        CAPTURES_REST_NOT_LAST;
        /// A class, defined type or template cannot have a parameter `*$name`.
        /// Use a parameter of type `Array`.
        CAPTURES_REST_NOT_SUPPORTED;
        /// `@class` or `@@class`: a class cannot be virtual or exported.
        /// Remove `@`; export the class's resources instead.
        CLASS_NOT_VIRTUALIZABLE;
        /// Defaults of a resource type (`File { … }`) cannot be virtual or exported.
        /// Remove `@`.
        NOT_VIRTUALIZEABLE;
        /// An assignment to a variable with `::` in its name.
        /// Only the class itself can set its variables: assign `$name` there.
        CROSS_SCOPE_ASSIGNMENT;
        /// A `case` or selector has two `default` entries.
        /// Remove one.
        DUPLICATE_DEFAULT;
        /// A hash literal has the same key twice; the last one is used.
        /// Remove one. With `strict=error` it is an error.
        DUPLICATE_KEY;
        /// A parameter is listed twice.
        /// Rename or remove one.
        DUPLICATE_PARAMETER;
        /// A name that a later version of Puppet reserves, such as `plan`.
        /// Rename the definition.
        FUTURE_RESERVED_WORD;
        /// An expression without effect is not the last one of its block.
        /// Usual cause: a forgotten assignment, or a missing operator between two lines. Remove it or use its value.
        IDEM_EXPRESSION_NOT_LAST;
        /// A class, defined type or node ends with an expression that has no effect.
        /// Remove it; only functions and lambdas return their last value.
        IDEM_NOT_ALLOWED_LAST;
        /// Something other than a variable is assigned to.
        /// Only `$name`, and lists of variables (`[$a, $b] = …`), can be assigned to.
        ILLEGAL_ASSIGNMENT;
        /// An assignment where none is allowed, such as in the default of a parameter.
        /// Assign before, in the body.
        ILLEGAL_ASSIGNMENT_CONTEXT;
        /// `$hash['key'] = …`: values do not change in Puppet.
        /// Make a new hash: `$new = $hash + { 'key' => … }`.
        ILLEGAL_INDEXED_ASSIGNMENT;
        /// `+>` is used outside of an override or a collector's attributes.
        /// Write `=>`.
        ILLEGAL_ATTRIBUTE_APPEND;
        /// A class, defined type, function or type alias is in a file where Puppet does not look for it.
        /// Move `a::b::c` to `manifests/b/c.pp` (functions: `functions/`, type aliases: `types/`) of module `a`.
        ILLEGAL_DEFINITION_LOCATION;
        /// The name of a class, defined type or function is malformed.
        /// Each part begins with a lower case letter, followed by letters, digits or `_`.
        ILLEGAL_DEFINITION_NAME;
        /// An expression that is not allowed at this place, such as a resource type as a function's name.
        /// The message says what is allowed.
        ILLEGAL_EXPRESSION;
        /// The name of a node has a character other than letters, digits, `_`, `-` and `.`.
        /// Use a regular expression: `node /^web\d+$/`.
        ILLEGAL_HOSTNAME_CHARS;
        /// The name of a node contains a variable.
        /// Use a regular expression, or a classifier.
        ILLEGAL_HOSTNAME_INTERPOLATION;
        /// `node … inherits …` is not part of the language any more.
        /// Move what they share to a class and include it in both.
        ILLEGAL_NODE_INHERITANCE;
        /// A parameter's type is computed, or a warning about one that was not a literal.
        /// Write the type literally.
        ILLEGAL_NONLITERAL_PARAMETER_TYPE;
        /// An assignment to `$0`, `$1` …, which regular expressions set.
        /// Use another name.
        ILLEGAL_NUMERIC_ASSIGNMENT;
        /// A parameter is named `$0`, `$1` …, which regular expressions set.
        /// Use another name.
        ILLEGAL_NUMERIC_PARAMETER;
        /// A variable's name begins with a digit, but is not a number such as `$0` or `$12`.
        /// Begin it with a letter or `_`.
        ILLEGAL_NUMERIC_VAR_NAME;
        /// A parameter's name is malformed.
        /// It begins with a lower case letter or `_`, followed by letters, digits or `_`.
        ILLEGAL_PARAM_NAME;
        /// A variable's name is malformed.
        /// It begins with a lower case letter or `_`, followed by letters, digits or `_`; parts are separated by `::`.
        ILLEGAL_VAR_NAME;
        /// A collector's query uses something other than `==`, `!=`, `and`, `or`.
        /// Use only attributes and `tag` with these operators.
        ILLEGAL_QUERY_EXPRESSION;
        /// A file of a module contains code outside of its classes and definitions.
        /// Move it into a class; only the main manifest can have code at the top.
        ILLEGAL_TOP_CONSTRUCT_LOCATION;
        /// The left side of `type Runtime[…] = …` is not a mapping.
        /// Remove it: manifests do not need mappings.
        ILLEGAL_TYPE_MAPPING;
        /// A plan contains code that only manifests may contain: classes, resources, collectors, relationships.
        /// Move it into the block of `apply(…) { … }`, and classes and defined types into `manifests/`.
        EXPRESSION_NOT_SUPPORTED_WHEN_SCRIPTING;
        /// The block of `apply` in a plan contains code that only plans may contain, or collects exported resources.
        /// Move it out of the block.
        EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING;
        /// `* => $hash` is used twice in one resource.
        /// Merge the hashes: `* => $a + $b`.
        MULTIPLE_ATTRIBUTES_UNFOLD;
        /// A definition is inside a function or lambda.
        /// Move it to the top of its file.
        NOT_ABSOLUTE_TOP_LEVEL;
        /// A class, defined type or node is inside a block such as `if`.
        /// Move it to the top of its file.
        NOT_TOP_LEVEL;
        /// Something that has no value is used as one.
        /// Usual cause: a definition or resource default in an assignment.
        NOT_RVALUE;
        /// A parameter is named `$name` or `$title`, which every class and defined type has.
        /// Rename the parameter.
        RESERVED_PARAMETER;
        /// A definition is named like a built-in data type, such as `integer`.
        /// Rename it.
        RESERVED_TYPE_NAME;
        /// A reserved word is used as a bare word.
        /// Quote it: `'application'`.
        RESERVED_WORD;
        /// A name is followed by a hash where a resource was probably meant.
        /// Give it a title: `file { '/tmp/x': ensure => file }`.
        RESOURCE_WITHOUT_TITLE;
        /// A form of the language that this version of Puppet does not have.
        /// Rewrite it; the message names it.
        UNSUPPORTED_EXPRESSION;
        /// `import` is not part of the language any more.
        /// Put classes into modules, or set `manifest` to a folder.
        DISCONTINUED_IMPORT;
        /// An integer is outside of the 64 bits that Puppet's integers have.
        /// Use a string or a float.
        NUMERIC_OVERFLOW;
    }

    "Variables, functions and values" {
        /// A variable is read that no scope has.
        /// Usual causes: a misspelled name, a fact that the node lacks, or a class that was not included before. `catwalk node show NODE`
        /// lists facts and variables; `catwalk eval --node NODE` is a console at its top scope.
        UNKNOWN_VARIABLE => "`catwalk node show NODE` lists the facts and variables of a node";
        /// No function has this name.
        /// Usual causes: a misspelled name or a module that is not installed. `catwalk docs functions` lists all.
        UNKNOWN_FUNCTION => "`catwalk docs functions` lists all functions";
        /// A variable is assigned twice in the same scope.
        /// Use another name; blocks of `if` and `case` are no scopes.
        ILLEGAL_REASSIGNMENT;
        /// An assignment to `$facts`, `$trusted` or `$server_facts`.
        /// Use another name.
        ILLEGAL_RESERVED_ASSIGNMENT;
        /// `[$a, $b] = …` has more or fewer values than variables.
        /// Give as many values as variables.
        ILLEGAL_MULTI_ASSIGNMENT_SIZE;
        /// `[$a, $b] = { … }`: the hash lacks the key of a variable.
        /// Add the key, or remove the variable.
        MISSING_MULTI_ASSIGNMENT_KEY;
        /// `[$a, $b] = Class['x']`: the class has no such variable.
        /// Correct the name.
        MISSING_MULTI_ASSIGNMENT_VARIABLE;
        /// A parameter without default has no value.
        /// Pass it, or set `CLASS::PARAMETER` in Hiera (`catwalk lookup --explain KEY --node NODE`).
        MISSING_REQUIRED_PARAMETER;
        /// A parameter without default follows one with a default.
        /// Move required parameters to the front.
        REQUIRED_PARAMETER_AFTER_OPTIONAL;
        /// A value does not have the type that an expression requires, such as a hash after `* =>`.
        /// The message names both types. A wrong parameter of a class is a RUNTIME_ERROR that names the parameter.
        TYPE_MISMATCH;
        /// The operator does not exist for such values.
        /// Convert the operand, as in `Integer($text) + 1`.
        OPERATOR_NOT_APPLICABLE;
        /// The operator does not exist for this pair of values.
        /// Convert the right operand.
        OPERATOR_NOT_APPLICABLE_WHEN;
        /// Two values cannot be compared with `<`, `>` …
        /// Only numbers with numbers, strings with strings, types with types; convert one of them.
        COMPARISON_NOT_POSSIBLE;
        /// The right side of `=~` is not a regular expression, or a string that is one.
        /// Check the pattern.
        MATCH_NOT_REGEXP;
        /// The left side of `=~` is not a string.
        /// Convert it: `String($value) =~ /…/`.
        MATCH_NOT_STRING;
        /// A string that is not a number is used as one.
        /// Check the value; `Integer($text, 10)` also fails, with a clearer message.
        NOT_NUMERIC;
        /// A string was converted to a number because an operator required one.
        /// Convert it yourself: `Integer($text)`, or set `strict=off`.
        NUMERIC_COERCION;
        /// A division by zero.
        /// Check the divisor before.
        DIV_BY_ZERO;
        /// A calculation is too large for a float.
        /// Check the operands.
        RESULT_IS_INFINITY;
        /// No entry of a selector (`$x ? { … }`) matches.
        /// Add a `default`.
        UNMATCHED_SELECTOR;
        /// An array got a wrong number of indexes.
        /// `$array[start]` or `$array[start, count]`.
        BAD_ARRAY_SLICE_ARITY;
        /// A value got an index of a wrong type.
        /// Arrays have integers as indexes.
        BAD_SLICE_KEY_TYPE;
        /// A string got a wrong number of indexes.
        /// `$text[start]` or `$text[start, length]`.
        BAD_STRING_SLICE_ARITY;
        /// The index of a string is not an integer.
        /// Usual cause: the variable should be a hash and is a string.
        BAD_STRING_SLICE_KEY_TYPE;
    }

    "Data types" {
        /// A type got a wrong number of arguments in `[]`.
        /// `catwalk docs datatypes NAME` shows its arguments.
        BAD_TYPE_SLICE_ARITY => "`catwalk docs datatypes NAME` shows the arguments of a data type";
        /// An argument of a type is not of the kind that it requires.
        /// `catwalk docs datatypes NAME` shows its arguments.
        BAD_TYPE_SLICE_TYPE => "`catwalk docs datatypes NAME` shows the arguments of a data type";
        /// An argument of a type has a wrong value.
        /// `catwalk docs datatypes NAME` shows its arguments.
        BAD_TYPE_SPECIALIZATION => "`catwalk docs datatypes NAME` shows the arguments of a data type";
        /// `Integer[…]` or `Float[…]` got a wrong number of bounds.
        /// One or two: `Integer[1, 10]`.
        BAD_INTEGER_SLICE_ARITY;
        /// A bound of `Integer[…]` is neither an integer nor `default`.
        /// `Integer[1, default]` has no upper bound.
        BAD_INTEGER_SLICE_TYPE;
        /// The size of `Array[…]`, `Hash[…]` or `Collection[…]` is neither an integer nor `default`.
        /// `Array[String, 1, 3]`.
        BAD_COLLECTION_SLICE_TYPE;
        /// The argument of `NotUndef[…]` is neither a type nor a string.
        /// `NotUndef[Integer]`.
        BAD_NOT_UNDEF_SLICE_TYPE;
        /// `Resource[…]` got something other than a resource type or its name first.
        /// `Resource['file', '/tmp/x']`, or `File['/tmp/x']`.
        ILLEGAL_RESOURCE_SPECIALIZATION;
        /// The name of a resource type is malformed.
        /// Each part begins with a letter: `Apache::Vhost`.
        ILLEGAL_CLASSREF;
        /// The argument of `Class[…]` is not a string.
        /// `Class['apache::mod']`.
        ILLEGAL_HOSTCLASS_NAME;
        /// The name in `Class[…]` is malformed.
        /// `Class['apache::mod']`.
        ILLEGAL_NAME;
    }

    "Resources and relationships" {
        /// A resource is declared twice.
        /// The excerpt shows both locations. Declare it once, in a class that both include, or use `ensure_packages`/`ensure_resource`.
        DUPLICATE_RESOURCE;
        /// A title occurs twice in one resource expression.
        /// Remove one.
        DUPLICATE_TITLE;
        /// An attribute is set twice in one resource.
        /// Remove one; `* => $hash` may bring one, too.
        DUPLICATE_ATTRIBUE;
        /// The title of a resource is an empty string.
        /// Check the variable that it comes from.
        EMPTY_STRING_TITLE_AT;
        /// The title of a resource is `undef`.
        /// Usual cause: a fact or a Hiera key that this node lacks. `catwalk lookup KEY --node NODE` shows it.
        MISSING_TITLE;
        /// One of several titles of a resource is `undef`.
        /// Check the list; `$list.filter |$x| { $x =~ NotUndef }` removes such elements.
        MISSING_TITLE_AT;
        /// The title of a resource is not a string.
        /// Convert it: `String($port)`.
        ILLEGAL_TITLE_TYPE_AT;
        /// What comes before `{ title: … }` is not a resource type.
        /// Check the variable or expression that names the type.
        ILLEGAL_RESOURCE_TYPE;
        /// An override (`File['x'] { … }`) names something other than a resource.
        /// Name one resource or a list of them.
        ILLEGAL_OVERRIDDEN_TYPE;
        /// An operand of `->` or `~>` is not a resource.
        /// Use references (`File['/tmp/x']`), resources or collectors.
        ILLEGAL_RELATIONSHIP_OPERAND_TYPE;
        /// A resource is referred to that the catalog does not have (yet).
        /// Check type and title; attributes of a resource can be read only after its declaration.
        UNKNOWN_RESOURCE;
        /// The resource has no parameter of this name.
        /// `catwalk docs types TYPE` lists the attributes of a type.
        UNKNOWN_RESOURCE_PARAMETER => "`catwalk docs types TYPE` lists the attributes of a type";
        /// No resource type, class or data type has this name.
        /// Usual causes: a misspelled name or a module that is not installed. `catwalk docs types` lists all.
        UNKNOWN_RESOURCE_TYPE => "`catwalk docs types` lists all resource types and defined types";
        /// Resources require each other in a cycle, so no order exists.
        /// The help lists each step and where it is declared. Remove one; `catwalk catalog why A B` explains a single relationship.
        DEPENDENCY_CYCLE;
        /// With `--autorequire`: the automatic relationships of a resource type cannot be read, so they are left out.
        /// The message says what in the type's Ruby code fails (`docs/catalogs.md`).
        AUTOREQUIRE_NOT_READ;
        /// A class, defined type, function or node is defined twice.
        /// Remove one; both locations are shown.
        DUPLICATE_DEFINITION;
        /// A collector of exported resources (`<<| |>>`) is ignored: the setting `storeconfigs` is off.
        /// Set it, and say where exported resources come from: `--exported site` (`docs/compile.md`).
        RT_NO_STORECONFIGS;
        /// A resource is exported (`@@`) while the setting `storeconfigs` is off: the export is ignored.
        /// Set `storeconfigs`, or remove `@@`.
        RT_NO_STORECONFIGS_EXPORT;
        /// Exported resources are collected, but the site does not say where they come from.
        /// Only those of the node itself are collected. Give `--exported site`, or set `exported` in `[puppetdb]` of `catwalk.toml`.
        EXPORTS_NOT_KNOWN;
        /// PuppetDB would refuse the catalog of a node that exports resources, so no other node can collect them.
        /// The message says what PuppetDB refuses in it.
        NOT_EXPORTED;
        /// An agent cannot call the function of a `Deferred` value, or a template that it renders has a type that agents lack.
        /// Agents have Puppet's functions, functions of modules in Ruby and `$facts`, and no other file of a module (`docs/compile.md`).
        DEFERRED_FAILS_ON_AGENT;
        /// A `Deferred` value was printed into a string, or is the key of a hash: its function is never called.
        /// Let the agent build the string: `Deferred('sprintf', ['... %s ...', $deferred])` (`docs/compile.md`).
        DEFERRED_NOT_RESOLVED;
        /// A value of a catalog is `default`, which JSON lacks; the string `default` is written.
        /// Convert it yourself, or set `rich_data=true`.
        SERIALIZATION_DEFAULT_CONVERTED_TO_STRING;
        /// A value of a catalog, such as a type or a regular expression, is written as a string.
        /// Convert it yourself, or set `rich_data=true`.
        SERIALIZATION_UNKNOWN_CONVERTED_TO_STRING;
        /// A key of a hash in a catalog is not a string and is written as one.
        /// Use strings as keys, or set `rich_data=true`.
        SERIALIZATION_UNKNOWN_KEY_CONVERTED_TO_STRING;
    }

    "Limits" {
        /// A compile made more calls of functions and blocks than the limit `iterations`.
        /// Usual cause: an endless recursion or loop. Raise it in `[limits]` of `catwalk.toml` (`docs/limits.md`) if the code is right.
        ITERATION_LIMIT;
        /// A value is nested more deeply than any catalog needs.
        /// Usual cause: a loop that wraps its result again and again.
        NESTING_LIMIT;
        /// A value has more elements than the limit `elements`.
        /// Raise it in `[limits]` of `catwalk.toml` (`docs/limits.md`) if the code is right.
        ELEMENT_LIMIT;
        /// A string is longer than the limit `text`.
        /// Raise it in `[limits]` of `catwalk.toml` (`docs/limits.md`) if the code is right.
        TEXT_LIMIT;
        /// A compile takes more memory than the limit `memory`.
        /// Raise it in `[limits]` of `catwalk.toml` (`docs/limits.md`) if the code is right.
        MEMORY_LIMIT;
        /// A compile takes longer than the limit `time`.
        /// The message names a command or server that was waited for. Raise it in `[limits]` of `catwalk.toml` (`docs/limits.md`).
        TIME_LIMIT;
        /// A regular expression takes too many steps on a string.
        /// Usual cause: nested repetition such as `(a+)+`. Simplify the expression.
        SEARCH_LIMIT;
        /// A catalog has more resources, or elements, than a limit allows.
        /// Usual cause: a loop that declares without end. Raise `resources` in `[limits]` of `catwalk.toml` (`docs/limits.md`).
        CATALOG_TOO_LARGE;
    }

    "Hiera" {
        /// The data that a command needs cannot be read.
        /// The message names the file.
        BAD_DATA;
        /// A key of eyaml is missing, or is not one.
        /// The message names it; `docs/eyaml.md` says where keys are looked for.
        EYAML_KEY;
        /// A value of a data file cannot be decrypted or encrypted.
        /// The message says why, and names the file and the line. Nothing was written.
        EYAML_VALUE;
        /// `hiera.yaml` version 3 is ignored outside of the global layer.
        /// Convert it to version 5.
        HIERA_VERSION_3_NOT_GLOBAL;
        /// `hiera.yaml` has a version that does not exist.
        /// Write `version: 5`.
        HIERA_UNSUPPORTED_VERSION;
        /// `hiera.yaml` version 4 cannot be the global configuration.
        /// Convert it to version 5.
        HIERA_UNSUPPORTED_VERSION_IN_GLOBAL;
        /// Two entries of a version 3 or 4 hierarchy have the same backend.
        /// Merge them.
        HIERA_BACKEND_MULTIPLY_DEFINED;
        /// Two levels of the hierarchy have the same name.
        /// Rename one; both lines are shown.
        HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED;
        /// `default_hierarchy` is used outside of a module.
        /// Move its levels to the end of `hierarchy`.
        HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE;
        /// A level has none of `data_hash`, `lookup_key`, `data_dig` and `defaults` has none either.
        /// Add `data_hash: yaml_data`.
        HIERA_MISSING_DATA_PROVIDER_FUNCTION;
        /// A level has more than one of `data_hash`, `lookup_key`, `data_dig`, `hiera3_backend`.
        /// Keep one.
        HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS;
        /// `defaults` has more than one of `data_hash`, `lookup_key`, `data_dig`.
        /// Keep one.
        HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS_IN_DEFAULT;
        /// A level has more than one of `path`, `paths`, `glob`, `globs`, `uri`, `uris`, `mapped_paths`.
        /// Keep one, or make two levels.
        HIERA_MULTIPLE_LOCATION_SPECS;
        /// `options` of a level has a key that Puppet sets itself (`path`, `uri`).
        /// Remove it, and use `path:` or `uri:` of the level.
        HIERA_OPTION_RESERVED_BY_PUPPET;
        /// `options` of `defaults` has a key that Puppet sets itself (`path`, `uri`).
        /// Remove it.
        HIERA_DEFAULT_OPTION_RESERVED_BY_PUPPET;
        /// `hiera3_backend` is used outside of the global layer.
        /// Use `data_hash` or `lookup_key`.
        HIERA_V3_BACKEND_NOT_GLOBAL;
        /// `hiera3_backend` names a backend that version 5 has itself.
        /// Write `data_hash: yaml_data` (`json_data`, `hocon_data`).
        HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH;
        /// `hiera.yaml` version 4 names an unknown backend.
        /// Convert the file to version 5.
        HIERA_NO_PROVIDER_FOR_BACKEND;
        /// A level names a function (`data_hash`, `lookup_key`, `data_dig`) that does not exist.
        /// Check its name and that its module is installed. A script goes to `scripts/hiera/` (`docs/hiera-backends.md`).
        HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND => "`catwalk docs functions` lists all functions";
        /// `hiera.yaml` or a data file interpolates a variable that does not exist.
        /// Correct it, such as `%{facts.os.family}`; `catwalk node show NODE` lists the facts.
        HIERA_UNDEFINED_VARIABLE;
        /// `%{alias('key')}` is only a part of a string.
        /// Make it the whole string, or use `%{lookup('key')}`.
        HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING;
        /// `hiera.yaml` itself cannot use `%{lookup(…)}` and other methods.
        /// Use variables: `%{facts.os.family}`.
        HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED;
        /// `%{method('…')}` names an unknown method.
        /// There are `lookup`, `hiera`, `alias`, `literal`, `scope`.
        HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD;
    }

    "Nodes, facts and classification" {
        /// No node has this name: there is no file of facts for it.
        /// `catwalk node list` lists the nodes; add `NODE.yaml` to the folder `nodes`, or use `--facts FILE`.
        UNKNOWN_NODE => "`catwalk node list` lists the nodes of the site";
        /// A file of facts, trusted data or node groups cannot be read.
        /// The message says why; facts are a hash in YAML or JSON.
        UNREADABLE_INPUT;
        /// The node's environment has no directory; the site's code is used.
        /// Add the environment, or correct it in the classifier (`catwalk node show NODE --explain`).
        NO_ENVIRONMENT_DIRECTORY;
        /// The external node classifier failed, or its output is not a hash in YAML.
        /// Run it by hand with the node's name, or `catwalk node show NODE --explain`.
        ENC_FAILED => "`catwalk node show NODE --explain` runs the classifier alone";
        /// Node groups conflict, or a rule is wrong.
        /// `catwalk classify NODE` shows which groups match, and why (`docs/classify.md`).
        CLASSIFIER => "`catwalk classify NODE` shows which groups match, and why";
    }

    "Sites, modules and configuration" {
        /// A directory for Catwalk's own state (the queue, a certificate authority, the state of `apply`) contains files of others, or others can
        /// write to it. Catwalk would take these files for its own.
        /// Name a new or empty directory by the option in the hint (`docs/limits.md`).
        FOREIGN_DIRECTORY;
        /// A directory to write to is reached through a symbolic link that the command line does not name: it may lead anywhere.
        /// Replace the link by a directory, or name the directory by the option in the hint (`docs/limits.md`).
        LINKED_DIRECTORY;
        /// A key of `catwalk.toml` names a path outside of the site that Catwalk would write to. A repository must not decide what is written
        /// elsewhere on the machine.
        /// Remove the key, and name the path by the option in the hint (`docs/configuration.md`).
        WRITES_OUTSIDE;
        /// `catwalk.toml`, `environment.conf` or the layout of the site is wrong.
        /// The message names the file. `docs/configuration.md` lists the keys; `catwalk init` sets up a site.
        BAD_SITE;
        /// A setting of Puppet is unknown or has a wrong value.
        /// `docs/configuration.md` lists the settings.
        BAD_SETTING;
        /// `config_version` failed; catalogs have the time as their version.
        /// Run the command by hand in the site's directory, or switch it off with `config_version = ""` under `[settings]` in
        /// `catwalk.toml`: it may work only on the server.
        CONFIG_VERSION;
        /// A module that `metadata.json` depends on is not installed.
        /// The help names the command that installs it (`docs/init.md`).
        MISSING_DEPENDENCY;
        /// Modules of the Puppetfile are not installed.
        /// The help names the command that installs them; `modulepath` of `catwalk.toml` names the directories of modules.
        MISSING_MODULES;
        /// A resource type is defined in Rhai and in Ruby; the script is used.
        /// Remove one of the files.
        RESOURCE_TYPE_TWICE;
        /// A definition of a resource type in Rhai is wrong.
        /// `catwalk script check FILE` checks it (`docs/resource-types.md`).
        RESOURCE_TYPE => "`catwalk script check FILE` checks the definition alone";
        /// A command of git failed.
        /// The message is that of git. Check the revision: `git log`.
        GIT => "`git log --oneline` lists revisions";
    }

    "Files that `catwalk check` reads" {
        /// A file is not YAML.
        /// The excerpt shows the location; check indentation, quotes and `: `.
        YAML_SYNTAX;
        /// A file in YAML contains a Ruby object or a value that Hiera cannot have.
        /// Quote it to make it a string.
        YAML_CLASS;
        /// A file is not JSON.
        /// The excerpt shows the location; usual causes are a comma too many and single quotes.
        JSON_SYNTAX;
        /// `metadata.json` lacks a key or has a wrong value.
        /// The message names the key.
        BAD_METADATA;
        /// A `Puppetfile` is not one.
        /// Lines are `mod 'author/name', '1.2.3'` and `forge '…'`.
        PUPPETFILE_SYNTAX;
        /// A file is not UTF-8.
        /// Save it as UTF-8; the location is that of the first such byte.
        NOT_UTF8;
        /// A file cannot be read.
        /// Check that it exists and its permissions.
        UNREADABLE_FILE;
    }

    "Scripts (Rhai)" {
        /// A script failed: `throw`, a wrong argument, a missing variable.
        /// The excerpt shows the line, the lines below it the calls. `catwalk script check FILE` finds many mistakes without running.
        SCRIPT_FAILED;
        /// A script does not parse.
        /// The excerpt shows the location. Reserved words are listed in `docs/scripts.md`.
        SCRIPT_SYNTAX;
        /// A script cannot be read.
        /// Check that the file exists, its permissions and that it is UTF-8.
        SCRIPT_UNREADABLE;
        /// A script lacks the function that its folder requires, or it has the wrong parameters.
        /// `docs/scripts.md` lists the function and the parameters for each folder; `catwalk script check FILE` checks them.
        SCRIPT_ENTRY;
        /// A script takes too long, too much memory or too many steps.
        /// Usual cause: a loop without end. `docs/limits.md` lists the limits of scripts.
        SCRIPT_LIMIT;
        /// A script that runs in its own process, or in an untrusted site, calls what it may not.
        /// `docs/security.md` lists what is allowed.
        SCRIPT_NOT_ALLOWED;
        /// A line that a script printed with `print`, with its file and line: no mistake.
        /// Remove the `print` once it is not needed; `notice` and other functions log lines for users.
        SCRIPT_OUTPUT;
        /// `classify` returns nothing, so the node gets no classes.
        /// End the function with the hash, without `;`: `#{ classes: classes }`.
        SCRIPT_NO_CLASSIFICATION;
        /// `import` in a script names a file that does not exist or does not parse.
        /// Paths are relative to the script's folder (`docs/scripts.md`).
        SCRIPT_IMPORT;
        /// A script uses a variable that does not exist.
        /// Functions of Rhai do not see variables of the file: pass them, or declare them `const`.
        SCRIPT_UNKNOWN_NAME;
        /// A script calls a function that does not exist, or with a wrong number of arguments.
        /// `docs/script-api.md` lists the functions.
        SCRIPT_UNKNOWN_CALL;
        /// A script calls a function outside of the phase in which it exists.
        /// The help says where it can be called (`docs/script-api.md`).
        SCRIPT_WRONG_PHASE;
        /// A block uses the variable of a loop, which is shared with later rounds.
        /// Copy it first: `let copy = variable;`.
        SCRIPT_CAPTURED_LOOP;
        /// A block is passed to a method of a variable that it reads, too.
        /// Copy the variable first.
        SCRIPT_CAPTURED_RECEIVER;
        /// A block that reads a constant is passed to a function of another file, where the constant does not exist.
        /// Copy the constant to a variable first.
        SCRIPT_FOREIGN_CONSTANT;
        /// A loop changes its variable, which is a copy: the change is lost.
        /// Collect the changed copies in a new array.
        SCRIPT_LOST_CHANGE;
        /// A provider breaks a rule that all providers must keep, such as being idempotent.
        /// The message names the rule and the input (`docs/providers.md`).
        SCRIPT_PROPERTY;
        /// A policy refuses the catalog.
        /// The message is the policy's (`docs/policies.md`).
        POLICY_DENIED;
        /// A policy warns about the catalog.
        /// The message is the policy's (`docs/policies.md`).
        POLICY_WARNING;
        /// Applying is refused: the site is untrusted, or its scripts run isolated.
        /// Apply only code that you trust.
        APPLY_UNTRUSTED;
    }

    "Tests and snapshots" {
        /// A test file has a wrong shape or an unknown key.
        /// `docs/testing.md` describes test files; `catwalk init` writes a first one.
        BAD_TEST;
        /// The module has no cases yet.
        /// Add `tests/NAME.yaml` with a case that has `class: NAME` (`docs/testing.md`), or run `catwalk init`.
        NO_CASES;
        /// `metadata.json` names systems for which there is no set of facts; they are not tested.
        /// `catwalk facts list` lists the sets; `except` leaves systems out.
        NO_FACT_SET;
        /// A snapshot cannot be read or written.
        /// Check the permissions of the folder `snapshots`.
        SNAPSHOT;
        /// The catalog of a case does not meet an expectation; only annotations of `catwalk test --log-format github` have this code.
        /// Correct the code, or `expect` of the case.
        UNMET_EXPECTATION;
        /// A catalog differs from its snapshot or has none; only annotations of `catwalk test --log-format github` have this code.
        /// `catwalk snapshot review` shows each change, `catwalk snapshot accept PATTERN` accepts it.
        SNAPSHOT_DIFFERS;
    }

    "Comparing, stores and PuppetDB" {
        /// A comparison cannot be made.
        /// The message says why (`docs/diff.md`).
        DIFF;
        /// The catalogs of the two sides differ; only annotations of `catwalk diff --log-format github` have this code.
        /// `catwalk diff` shows the difference.
        CATALOG_DIFFERS;
        /// A file is not a catalog.
        /// `catwalk catalog validate FILE` says what is wrong in it.
        BAD_CATALOG => "`catwalk catalog validate FILE` reports what is wrong in a catalog";
        /// PuppetDB does not answer, or refuses.
        /// Check `[puppetdb]` in `catwalk.toml`: URL and certificates (`docs/diff.md`).
        PUPPETDB;
        /// A store is not one, or cannot be opened.
        /// `catwalk store import --store FILE …` makes one (`docs/store.md`).
        BAD_STORE => "`catwalk store import --store FILE PATHS` creates a store";
        /// A file to import into a store has a wrong shape.
        /// `docs/store.md` describes it.
        BAD_FIXTURE;
        /// A query of PuppetDB is malformed.
        /// The message says where (`docs/store.md`).
        BAD_QUERY;
        /// PuppetDB would refuse the catalog of a node, so the store keeps what it has of the node.
        /// The message says what PuppetDB refuses in it.
        NOT_STORED;
        /// The store has no such node.
        /// `catwalk store list --store FILE` lists its nodes.
        NO_SUCH_NODE => "`catwalk store list` lists the nodes of a store";
        /// PuppetDB does not take what was submitted; it waits in a queue on the disk.
        /// `catwalk store push` sends the queue again. A command that PuppetDB refuses for good is set aside; the message names its file.
        NOT_SUBMITTED;
        /// A catalog, facts or a report break a rule of PuppetDB, which would discard them; they are not submitted.
        /// The message lists the rules that are broken (`docs/puppetdb.md`).
        BAD_PAYLOAD;
        /// The queue of what is to be submitted cannot be read or written, or another process is sending it.
        /// Wait for the other process, or check the permissions of the folder that the message names.
        BAD_QUEUE;
        /// A Sensitive parameter of an exported resource reaches no other node: PuppetDB's terminus removes it.
        /// Collect the resource without the parameter, or let each collecting node look the secret up (`docs/secrets.md`).
        SENSITIVE_NOT_EXPORTED;
        /// A parameter of an exported resource contains a secret that was unwrapped: PuppetDB and all collecting nodes receive it in clear.
        /// Export something that is not secret, or let each collecting node look the secret up (`docs/secrets.md`).
        SECRET_EXPORTED;
        /// A file is not a report of a run.
        /// `catwalk apply --report FILE` writes one (`docs/apply.md`).
        BAD_REPORT;
        /// Submitting is refused: the site's code is untrusted, and other nodes would collect what its catalogs export.
        /// If you trust the code, leave out `--untrusted` (`CATWALK_UNTRUSTED`, `untrusted = true` in `catwalk.toml`).
        SUBMIT_UNTRUSTED;
        /// `catwalk serve` cannot start or go on: its address is in use, or its certificates cannot be read.
        /// The message names the address or the file (`docs/serve.md`).
        SERVER_FAILED;
        /// Serving is refused: the site's code is untrusted, and it would run beside the facts of all nodes and the server's key.
        /// If you trust the code, leave out `--untrusted` (`CATWALK_UNTRUSTED`, `untrusted = true` in `catwalk.toml`).
        SERVE_UNTRUSTED;
        /// A recording (`--record`) cannot be read.
        /// Record again.
        BAD_TAPE => "`catwalk compile --record DIR` records them";
        /// The compile needs an answer of a command, server or clock that the recording does not have.
        /// Record again, or leave out `--replay`.
        NO_RECORDED_ANSWER;
    }

    "Commands" {
        /// Arguments do not fit together.
        /// `catwalk help COMMAND` describes the command.
        USAGE => "`catwalk help COMMAND` describes a command";
        /// `catwalk docs` has no page of this name.
        /// `catwalk docs` lists the topics.
        UNKNOWN_NAME => "`catwalk docs TOPIC` lists all names of a topic";
        /// A command of the console is unknown or has wrong arguments.
        /// `:help` lists the commands.
        COMMAND;
        /// A value cannot be written as JSON or YAML.
        /// `--format rich` writes all values, `--format puppet` as Puppet source.
        NOT_DATA;
        /// A node definition was entered into the console, where no node matches.
        /// Enter its content instead.
        NODE_BLOCK_NOT_EVALUATED;
        /// Files cannot be watched.
        /// `--poll` works without the system's events.
        WATCH_FAILED;
        /// The system's limit on watched files is reached; Catwalk looks at all files every second instead.
        /// The help names the system's setting.
        WATCH_LIMIT;
    }
}
