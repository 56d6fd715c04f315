//! Words that Rhai reserves without using them, and methods named `debug` and `print`: scripts may use them as names.
//!
//! In: tokens of a script. Out: tokens that the parser accepts. Must not: change the meaning of a script that Rhai accepts.

use std::cell::Cell;

use rhai::Token;

/// Reserved words that the engine uses.
const USED: [&str; 10] =
    ["Fn", "call", "curry", "debug", "eval", "is_def_fn", "is_def_var", "is_shared", "print", "this"];
/// Reserved words that would only hide a mistake as names: Rhai writes `()`.
const EMPTY: [&str; 4] = ["nil", "null", "type_of", "void"];

/// The result of a function named `debug` or `print` that has logged already; the engine logs what functions of these names return.
pub(super) const LOGGED: &str = "\0logged";

thread_local! {
    static AFTER_DOT: Cell<bool> = const { Cell::new(false) };
}

/// A token as the parser gets it.
pub(super) fn map(token: Token) -> Token {
    let after_dot = AFTER_DOT.replace(matches!(token, Token::Period | Token::Elvis));
    match token {
        Token::Reserved(word) if is_free(&word, after_dot) => Token::Identifier(word),
        token => token,
    }
}

fn is_free(word: &str, after_dot: bool) -> bool {
    let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic());
    match word {
        "debug" | "print" => after_dot,
        word => is_word && !USED.contains(&word) && !EMPTY.contains(&word),
    }
}
