//! Words that Rhai reserves without using them, and methods and keys named `debug` and `print`: scripts may use them as names.
//!
//! In: tokens of a script. Out: tokens that the parser accepts. Must not: change the meaning of a script that Rhai accepts.

use std::cell::Cell;
use std::cell::RefCell;

use rhai::Token;

/// Reserved words that the engine uses.
const ENGINE_WORDS: [&str; 10] =
    ["Fn", "call", "curry", "debug", "eval", "is_def_fn", "is_def_var", "is_shared", "print", "this"];
/// Reserved words that scripts cannot use as names, since their use is usually a mistake: Rhai has `()` for a missing value.
const REFUSED_WORDS: [&str; 4] = ["nil", "null", "type_of", "void"];

/// The result of a function named `debug` or `print` that has logged already; the engine logs what functions of these names return.
pub(super) const LOGGED: &str = "\0logged";

thread_local! {
    /// Whether a name must follow: the token before was a dot, or a key of a map begins.
    static NAME_FOLLOWS: Cell<bool> = const { Cell::new(false) };
    /// The open brackets, each with whether it begins a map literal.
    static BRACKETS: RefCell<Vec<bool>> = const { RefCell::new(Vec::new()) };
}

/// Discards the state of another script, which may have ended within a bracket.
pub(super) fn reset() {
    NAME_FOLLOWS.set(false);
    BRACKETS.with_borrow_mut(Vec::clear);
}

/// Converts a token for the parser.
pub(super) fn convert(token: Token) -> Token {
    let is_name = NAME_FOLLOWS.replace(name_follows(&token));
    match token {
        Token::Reserved(word) if is_available(&word, is_name) => Token::Identifier(word),
        token => token,
    }
}

/// Whether only a name can follow a token.
fn name_follows(token: &Token) -> bool {
    BRACKETS.with_borrow_mut(|brackets| match token {
        Token::MapStart => {
            brackets.push(true);
            true
        }
        Token::LeftBrace | Token::LeftParen | Token::LeftBracket | Token::QuestionBracket => {
            brackets.push(false);
            false
        }
        Token::RightBrace | Token::RightParen | Token::RightBracket => {
            brackets.pop();
            false
        }
        Token::Comma => brackets.last() == Some(&true),
        // A comment is between a comma and a key.
        Token::Comment(_) => NAME_FOLLOWS.get(),
        token => matches!(token, Token::Period | Token::Elvis),
    })
}

fn is_available(word: &str, is_name: bool) -> bool {
    let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic());
    match word {
        "debug" | "print" => is_name,
        word => is_word && !ENGINE_WORDS.contains(&word) && !REFUSED_WORDS.contains(&word),
    }
}
