//! Which of Ruby's own classes come from which: what `Runtime['ruby', NAME]` covers. (PRuntimeType#_assignable?)

/// Whether a class is known and comes from the other class or has that module.
pub(super) fn is_below(class: &str, ancestor: &str) -> bool {
    ancestors(class)
        .is_some_and(|own| matches!(ancestor, "Object" | "Kernel" | "BasicObject") || own.contains(&ancestor))
}

/// What a class comes from besides what all objects do; nothing for one that is not known.
fn ancestors(class: &str) -> Option<&'static [&'static str]> {
    Some(match class {
        "Object" | "NilClass" | "TrueClass" | "FalseClass" | "Proc" | "Method" | "Regexp" | "MatchData"
        | "Exception" => &[],
        "String" | "Symbol" | "Numeric" | "Time" | "Date" | "Pathname" => &["Comparable"],
        "Integer" | "Float" | "Rational" | "Complex" | "BigDecimal" => &["Numeric", "Comparable"],
        "DateTime" => &["Date", "Comparable"],
        "Array" | "Hash" | "Range" | "Set" | "Struct" | "Enumerator" | "Dir" => &["Enumerable"],
        "Class" => &["Module"],
        "Module" => &[],
        "IO" => &["Enumerable"],
        "File" => &["IO", "Enumerable"],
        _ => return None,
    })
}
