//! A newcomer's first ten minutes, as three people have them: commands and what they print, in `newcomers/`.

use crate::pages::check_in;
use crate::support::Site;

#[test]
fn the_owner_of_a_control_repository_gets_started() {
    check_in(&Site::empty(), "tests/newcomers/control-repository.md", include_str!("newcomers/control-repository.md"));
}

#[test]
fn the_author_of_a_module_gets_started() {
    check_in(&Site::empty(), "tests/newcomers/module.md", include_str!("newcomers/module.md"));
}

#[test]
fn the_author_of_a_classifier_gets_started() {
    check_in(&Site::empty(), "tests/newcomers/classifier.md", include_str!("newcomers/classifier.md"));
}
