//! Expectations of classifiers in test files, in the format of `catwalk classify --expect`.

use std::path::Path;
use std::sync::Arc;

use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_classifier::Subject;
use catwalk_classifier::expect;
use catwalk_classifier::expect::Verdict;
use catwalk_node::terminus::Terminus;
use catwalk_session::Session;
use catwalk_value::Value;
use catwalk_world::World;

/// Checks a document of expectations against the groups in a file, or against those of the site's classifier without one.
///
/// # Errors
/// The document is invalid, there are no groups, or a rule fails.
pub fn check_expectations(
    session: &Session,
    document: &Value,
    groups: Option<&str>,
    root: &Path,
    world: &dyn World,
) -> Result<Vec<Verdict>, Box<Diagnostic>> {
    let wrong = |why: String| -> Box<Diagnostic> { Box::from(Reason::new(Code::BAD_TEST, why)) };
    let expectations = expect::read(document).map_err(|why| {
        let mut failure = wrong(why);
        failure.help = Some("for example:\nclassify:\n  - node: web1.example.com\n    classes: [role::web]".into());
        failure
    })?;
    let path = match groups {
        Some(path) => root.join(path),
        None => {
            let termini = session.termini();
            let first = termini.iter().find(|terminus| matches!(terminus, Terminus::Groups(_))).or(termini.first());
            match first {
                Some(Terminus::Groups(path) | Terminus::Script(path)) => path.clone(),
                _ => return Err(wrong("`classify` needs `groups`: the site's classifier has none".to_owned())),
            }
        }
    };
    let groups = session.groups(&path).map_err(|unread| unread.diagnostic())?;
    let mut verdicts = Vec::new();
    for expected in &expectations {
        let subject = match &expected.facts {
            Some(facts) => {
                let trusted = session.trusted(&expected.node, world)?;
                Subject::new(&expected.node, facts.clone(), Arc::new(trusted))
            }
            None => session.subject(&expected.node)?,
        };
        let node = match &expected.trusted {
            Some(trusted) => Subject::new(&expected.node, subject.facts(), trusted.clone()),
            None => subject,
        };
        verdicts.push(groups.check_expectation(expected, &node, world)?);
    }
    Ok(verdicts)
}
