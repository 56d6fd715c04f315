//! Warnings about `Deferred` values that fail on an agent: each section of `deferred_warnings.md` is a site with a command and its
//! output. What Puppet's agents do with each value was tried with Puppet 7, OpenVox 8 and OpenVox 9.

use crate::pages::check_in;
use crate::support::Site;

#[test]
fn deferred_values_that_fail_on_an_agent_are_reported() {
    let page = include_str!("deferred_warnings.md");
    let mut wrong = Vec::new();
    for section in page.split("\n## ").skip(1) {
        let title = section.lines().next().unwrap_or_default();
        let site = Site::new(&[("nodes/web1.json", r#"{"kernel": "Linux"}"#)]);
        let check = || check_in(&site, &format!("tests/deferred_warnings.md: {title}"), section);
        wrong.extend(std::panic::catch_unwind(check).err().map(|panic| match panic.downcast::<String>() {
            Ok(text) => *text,
            Err(_) => format!("{title}: the check panicked"),
        }));
    }
    assert!(wrong.is_empty(), "{} sections:\n\n{}", wrong.len(), wrong.join("\n\n"));
}
