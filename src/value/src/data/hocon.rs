//! HOCON as Ruby's `hocon` reads it: the parts that configuration files use.
//!
//! In: a text, and [`Inputs`], which reads included files and knows the environment. Out: a value. Must not: read files itself.

mod fields;
mod node;
mod parser;
mod resolve;
mod scanner;

use resolve::Resolver;

use crate::value::Value;

pub use parser::Inputs;

/// Why a text is not HOCON, or has a substitution without a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoconError {
    /// Puppet's message: `ORIGIN: LINE: …`.
    pub message: String,
    /// The origin of the text that is wrong: that of the document, or the path of an included file.
    pub origin: String,
    /// Line and column in it, from 1. The column of an error in a substitution is unknown and is 1.
    pub position: (usize, usize),
}

impl HoconError {
    fn at(origin: &str, position: (usize, usize), text: &str) -> HoconError {
        HoconError { message: format!("{origin}: {}: {text}", position.0), origin: origin.to_owned(), position }
    }
}

/// Parses a text and resolves its substitutions; Puppet's messages start with `origin` (`String`).
///
/// # Errors
/// Puppet's message with the line, for the most frequent errors.
pub fn parse(text: &str, origin: &str, inputs: &Inputs<'_>) -> Result<Value, HoconError> {
    let root = parser::parse_document(text, origin, inputs, None, 0)?;
    Resolver::new(&root, origin, inputs.env).resolve_object(&root, &[])
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::value::to_program;

    #[test]
    fn a_text_that_may_not_include_files_has_no_include_anywhere() {
        let inputs = Inputs { may_include: false, ..Inputs::NONE };
        for (text, line) in
            [("include \"a\"", 1), ("a: 1\nb { c: 1, include \"a\" }", 2), ("{\n include file(\"/a\")\n}", 2)]
        {
            let refused = parse(text, "x", &inputs).unwrap_err().message;
            assert_eq!(refused, format!("x: {line}: not supported yet: include"));
        }
        assert!(parse("include: 1, a: \"include \\\"b\\\"\"", "x", &inputs).is_ok());
    }

    #[test]
    fn objects_lists_and_words() {
        let text = "// c\na { b = 1, c: [1, 2.5, true, null, foo bar] }\na.d = \"x\" # c\n\
                    xs = { subkey = value xs.subkey (from global hocon) }\nvalid hocon: string\nt = \"\"\"raw\n\"\"\"\n\
                    a { e += 3 }\n";
        assert_eq!(
            to_program(&parse(text, "String", &Inputs::NONE).unwrap()),
            "{'a' => {'e' => [3], 'd' => 'x', 'b' => 1, 'c' => [1, 2.5, true, undef, 'foo bar']}, \
             'xs' => {'subkey' => 'value xs.subkey (from global hocon)'}, 'valid hocon' => 'string', 't' => \"raw\\n\"}"
        );
    }

    #[test]
    fn malformed_documents_fail() {
        let message = parse("invalid", "String", &Inputs::NONE).unwrap_err().message;
        assert_eq!(message, "String: 1: Key 'invalid' may not be followed by token: end of file");
        for text in ["a = ", "a = [1", "{", "a = \"x", "a = ${b}", "include x", "a = \"\\q\""] {
            assert!(parse(text, "String", &Inputs::NONE).is_err(), "{text}");
        }
        assert!(parse(&"[".repeat(5000), "String", &Inputs::NONE).is_err());
        assert!(parse(&"a{".repeat(5000), "String", &Inputs::NONE).is_err());
    }
}
