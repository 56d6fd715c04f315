//! The reserved words and operators.

/// The reserved word with this spelling.
pub(super) fn keyword(text: &str) -> Option<&'static str> {
    /// All reserved words are shorter than this.
    const LONGEST: usize = 12;
    if text.len() > LONGEST {
        return None;
    }
    macro_rules! one_of {
        ($($word:literal)*) => {
            match text {
                $($word => Some($word),)*
                _ => None,
            }
        };
    }
    one_of!(
        "__ENCODING__" "__FILE__" "__LINE__" "BEGIN" "END" "alias" "and" "begin" "break"
        "case" "class" "def" "defined?" "do" "else" "elsif" "end" "ensure"
        "false" "for" "if" "in" "module" "next" "nil" "not" "or"
        "redo" "rescue" "retry" "return" "self" "super" "then" "true" "undef"
        "unless" "until" "when" "while" "yield"
    )
}

/// The longest operator at the start of the source.
pub(super) fn operator(text: &[u8]) -> Option<&'static str> {
    let at = |ahead: usize| text.get(ahead).copied().unwrap_or(0);
    let (second, third) = (at(1), at(2));
    Some(match at(0) {
        b'*' => match (second, third) {
            (b'*', b'=') => "**=",
            (b'*', _) => "**",
            (b'=', _) => "*=",
            _ => "*",
        },
        b'<' => match (second, third) {
            (b'=', b'>') => "<=>",
            (b'<', b'=') => "<<=",
            (b'<', _) => "<<",
            (b'=', _) => "<=",
            _ => "<",
        },
        b'>' => match (second, third) {
            (b'>', b'=') => ">>=",
            (b'>', _) => ">>",
            (b'=', _) => ">=",
            _ => ">",
        },
        b'=' => match (second, third) {
            (b'=', b'=') => "===",
            (b'=', _) => "==",
            (b'~', _) => "=~",
            (b'>', _) => "=>",
            _ => "=",
        },
        b'.' => match (second, third) {
            (b'.', b'.') => "...",
            (b'.', _) => "..",
            _ => ".",
        },
        b'&' => match (second, third) {
            (b'&', b'=') => "&&=",
            (b'&', _) => "&&",
            (b'.', _) => "&.",
            (b'=', _) => "&=",
            _ => "&",
        },
        b'|' => match (second, third) {
            (b'|', b'=') => "||=",
            (b'|', _) => "||",
            (b'=', _) => "|=",
            _ => "|",
        },
        b'!' => match second {
            b'=' => "!=",
            b'~' => "!~",
            _ => "!",
        },
        b'-' => match second {
            b'=' => "-=",
            b'>' => "->",
            _ => "-",
        },
        b':' if second == b':' => "::",
        b'+' if second == b'=' => "+=",
        b'/' if second == b'=' => "/=",
        b'%' if second == b'=' => "%=",
        b'^' if second == b'=' => "^=",
        b'[' => "[",
        b']' => "]",
        b'(' => "(",
        b')' => ")",
        b'{' => "{",
        b'}' => "}",
        b'+' => "+",
        b'/' => "/",
        b'%' => "%",
        b'^' => "^",
        b'~' => "~",
        b'?' => "?",
        b':' => ":",
        b',' => ",",
        b'\\' => "\\",
        b'@' => "@",
        b'$' => "$",
        b'#' => "#",
        _ => return None,
    })
}
