//! Patterns and strings with the answers of Ruby 3.1: one JSON object a line in `cases.jsonl`, and in the file that the environment
//! variable REGEXPS names (`tests/reference/regexps` records one).
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use serde_json::Value;
use serde_json::json;

use super::Regexp;
use super::RegexpError;
use super::escape;

#[test]
fn ruby_agrees() {
    let mut wrong = Vec::new();
    let mut count = 0;
    let more = std::env::var("REGEXPS").map(|path| std::fs::read_to_string(path).unwrap()).unwrap_or_default();
    for line in include_str!("cases.jsonl").lines().chain(more.lines()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let regexp = Regexp::new(case["re"].as_str().unwrap());
        let answer = if let Err(error) = regexp.check() {
            json!({ "re": regexp.source(), "error": error.message() })
        } else {
            let texts = case["res"].as_array().map(Vec::as_slice).unwrap_or_default();
            let answers = texts.iter().map(|text| answer(&regexp, text[0].as_str().unwrap()));
            let res: Vec<Value> = answers.map(|answer| answer.unwrap_or_else(|error| json!(error.message()))).collect();
            json!({ "re": regexp.source(), "i": regexp.to_puppet_source(), "res": res })
        };
        count += 1;
        if answer != case {
            wrong.push(format!("expected {case}\n     got {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// `[text, group offsets, gsub, split, split in three]`
fn answer(regexp: &Regexp, text: &str) -> Result<Value, RegexpError> {
    let groups = regexp.captures(text)?.map(|found| (0..found.len()).map(|i| found.span(i)).collect::<Vec<_>>());
    assert_eq!(groups.is_some(), regexp.is_match(text)?);
    let replaced = regexp.replace_all(text, "<\\0\\1>")?;
    Ok(json!([text, groups, replaced, regexp.split(text, 0)?, regexp.split(text, 3)?]))
}

#[test]
fn replacement_references() {
    let regexp = Regexp::new("(?<q>b)");
    assert_eq!(regexp.replace_first("abc", r"[\k<q>\1\0\&\`\'\\\z]").unwrap(), r"a[bbbac\\z]c");
    let error = Regexp::new("(b)").replace_first("abc", r"[\k<q>]").unwrap_err();
    assert_eq!(error.message(), "undefined group name reference: q");
    assert_eq!(Regexp::new("b").replace_all("abcb", "\\").unwrap(), r"a\c\");
}

#[test]
fn escaping() {
    assert_eq!(escape("a.b*c\n\t -#/[]"), r"a\.b\*c\n\t\ \-\#/\[\]");
}

#[test]
fn a_search_without_end_is_stopped() {
    let text = format!("{}c", "a".repeat(64));
    let patterns = [r"^(?:(?=a)(a|aa)(?!d))+\1b", r"(?:(a)(?=a)|(aa)|(aaa))*(?<=a)\1\2b"];
    assert!(patterns.iter().all(|source| Regexp::new(*source).is_match(&text).is_err()));
}

#[test]
fn deep_nesting_is_an_error() {
    for quantifier in ["*", "+", "?", "{2}", "*?"] {
        let deep = Regexp::new(format!("a{}", quantifier.repeat(100_000))).check().unwrap_err();
        assert!(deep.to_string().contains("too deep nest level for parser"), "{quantifier}: {deep}");
    }
    Regexp::new("a***").check().unwrap();
    let error = Regexp::new("(".repeat(10_000)).check().unwrap_err();
    assert!(error.message().starts_with("too deep nest level for parser"));
    Regexp::new(format!("{}a{}", "(".repeat(200), ")".repeat(200))).check().unwrap();
}

#[test]
fn texts_of_one_line_and_others_are_searched_alike() {
    // Long strings, too, whose later matches the other engine finds.
    let line = "ab,cd,,ef-".repeat(700);
    for source in ["^", "^[a-z]*", r"[a-z]*\Z", r"^[a-z,-]*\Z", r"(,|\Z)", "(?:^|,)([a-z]*)"] {
        let regexp = Regexp::new(source);
        let spans = |text: &str| regexp.find_iter(text).collect::<Result<Vec<_>, _>>().unwrap();
        let alone = spans(&line);
        let mut below = spans(&format!("{line}\n{line}"));
        // The first of two lines, without matches that need its end or the second line.
        below.retain(|(start, _)| *start < line.len());
        let first: Vec<_> = alone.into_iter().filter(|(start, _)| *start < line.len()).collect();
        if !source.contains('Z') {
            assert_eq!(first, below, "{source}");
        }
        assert!(regexp.is_match(&line).unwrap(), "{source}");
    }
    let at_end = Regexp::new(r"ef-\Z");
    let last = |text: &str| at_end.captures(text).unwrap().map(|found| found.start());
    assert_eq!(last(&line), Some(line.len() - 3));
    assert_eq!(last(&format!("{line}\n")), Some(line.len() - 3));
    assert_eq!(last(&format!("{line}\n\n")), None);
}

#[test]
fn calls_of_groups_are_not_written_out_without_end() {
    let nested = Regexp::new(r"\A(\((?:[^()]|\g<1>)*\))\z");
    assert!(nested.is_match("(a(b)(c(d)))").unwrap());
    assert!(!nested.is_match("(a(b)(c(d))").unwrap());
    let tangled = Regexp::new("(a\n(a()()|b)\\g<0>|b)\\g<1>");
    assert!(tangled.is_match("bb").unwrap());
    let deep = Regexp::new(r"\A(\(\g<1>*\))\z");
    let text = format!("{}{}", "(".repeat(20_000), ")".repeat(20_000));
    assert!(deep.is_match(&text).unwrap());
    let much = Regexp::new(r"\A(a|a\g<1>)*\z").is_match(&format!("{}b", "a".repeat(40))).unwrap_err();
    assert!(much.message().contains("too many steps"), "{much}");
}

#[test]
fn patterns_that_need_backtracking_are_known() {
    for (source, expected) in [
        ("^/puppet/v3/catalog/([^/]+)$", false),
        (r"\A(a|b)+\.example\.com\z", false),
        ("^(?!a)", true),
        ("(?<=a)b", true),
        (r"(a+)\1", true),
        ("(?>a+)b", true),
        (r"(?<a>x\g<a>?y)", true),
    ] {
        assert_eq!(Regexp::new(source).needs_backtracking(), Ok(expected), "{source}");
    }
    assert!(Regexp::new("(a").needs_backtracking().is_err());
}
