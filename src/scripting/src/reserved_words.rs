//! Words that Rhai reserves without using them, and methods and keys named `debug` and `print`: scripts may use them as names.
//!
//! In: tokens of a script. Out: tokens that the parser accepts. Must not: change the meaning of a script that Rhai accepts.

use rhai::Token;

/// Reserved words that the engine uses.
const ENGINE_WORDS: [&str; 10] =
    ["Fn", "call", "curry", "debug", "eval", "is_def_fn", "is_def_var", "is_shared", "print", "this"];
/// Reserved words that scripts cannot use as names, since their use is usually a mistake: Rhai has `()` for a missing value.
const REFUSED_WORDS: [&str; 4] = ["nil", "null", "type_of", "void"];

/// The result of a function named `debug` or `print` that has logged already; the engine logs what functions of these names return.
pub(super) const LOGGED: &str = "\0logged";

/// The tokens of a script so far.
#[derive(Default)]
pub(super) struct Context {
    /// Whether a name must follow: the token before was a dot, or a key of a map begins.
    name_follows: bool,
    /// The open brackets, each with whether it begins a map literal.
    brackets: Vec<bool>,
}

impl Context {
    pub(super) const fn new() -> Context {
        Context { name_follows: false, brackets: Vec::new() }
    }

    /// Converts the next token for the parser.
    pub(super) fn convert(&mut self, token: Token) -> Token {
        let name_follows = self.name_follows(&token);
        let is_name = std::mem::replace(&mut self.name_follows, name_follows);
        match token {
            Token::Reserved(word) if is_available(&word, is_name) => Token::Identifier(word),
            token => token,
        }
    }

    /// Whether only a name can follow a token.
    fn name_follows(&mut self, token: &Token) -> bool {
        match token {
            Token::MapStart => {
                self.brackets.push(true);
                true
            }
            Token::LeftBrace | Token::LeftParen | Token::LeftBracket | Token::QuestionBracket => {
                self.brackets.push(false);
                false
            }
            Token::RightBrace | Token::RightParen | Token::RightBracket => {
                self.brackets.pop();
                false
            }
            Token::Comma => self.brackets.last() == Some(&true),
            // A comment is between a comma and a key.
            Token::Comment(_) => self.name_follows,
            token => matches!(token, Token::Period | Token::Elvis),
        }
    }
}

fn is_available(word: &str, is_name: bool) -> bool {
    let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic());
    match word {
        "debug" | "print" => is_name,
        word => is_word && !ENGINE_WORDS.contains(&word) && !REFUSED_WORDS.contains(&word),
    }
}
