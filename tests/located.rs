//! Messages name the file, the line and what helps: each section of `located.md` is a site with commands and what they print.

use crate::pages::check_in;
use crate::support::Site;

#[test]
fn messages_name_what_is_wrong_and_where() {
    let page = include_str!("located.md");
    let mut wrong = Vec::new();
    for section in page.split("\n## ").skip(1) {
        let title = section.lines().next().unwrap_or_default();
        let check = || check_in(&Site::empty(), &format!("tests/located.md: {title}"), section);
        wrong.extend(std::panic::catch_unwind(check).err().map(|panic| match panic.downcast::<String>() {
            Ok(text) => *text,
            Err(_) => format!("{title}: the check panicked"),
        }));
    }
    assert!(wrong.is_empty(), "{} sections:\n\n{}", wrong.len(), wrong.join("\n\n"));
}
