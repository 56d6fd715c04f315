//! Checks the properties of a provider without a test: on a machine without files and commands, with a sample resource derived from the
//! type.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::LogLines;
use super::TestProvider;
use super::machine;
use super::properties;
use super::property_counts;
use super::property_counts::Property;
use super::sample;
use super::snapshot;
use crate::api::Fallible;
use crate::cache::Scripts;
use crate::callers;
use crate::error;
use crate::limits;
use crate::testing;
use crate::testing::TestSite;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::source::Span;
use catwalk_resource_api::Change;
use catwalk_resource_api::Context;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Origin;
use catwalk_resource_api::Provider;
use catwalk_resource_api::State;
use catwalk_resource_api::absent_state;

/// The time limit of all checks of one provider.
const LIMIT: Duration = Duration::from_secs(5);
/// Longer reasons are cut.
const MAX_REASON: usize = 200;
/// The context's message to a provider that logs for another resource.
const FOREIGN: &str = "Managing resource outside of requested set";

/// The outcome of checking a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The property holds; the string describes the check.
    Holds(String),
    /// The property could not be checked, for this reason.
    Skipped(String),
    /// The property does not hold, for this reason.
    Broken(String),
}

/// The outcomes of checking a provider's properties.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropertyReport(pub Vec<(Property, Outcome)>);

impl PropertyReport {
    /// A line for each property.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let line = |(property, outcome): &(Property, Outcome)| match outcome {
            Outcome::Holds(how) => format!("holds: {} ({how})", property.text()),
            Outcome::Skipped(why) => format!("not checked: {} ({why})", property.text()),
            Outcome::Broken(why) => format!("BROKEN: {} ({why})", property.text()),
        };
        self.0.iter().map(line).collect()
    }
}

impl Scripts {
    /// Checks the properties of a provider that need no test. Properties that earlier tests on this thread have checked are included.
    /// The diagnostic says that the provider cannot be loaded, that its type is wrong, or that a property does not hold.
    pub fn check_properties(&self, path: &Path, site: &dyn TestSite) -> (PropertyReport, Option<Box<Diagnostic>>) {
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let mut checked = Vec::new();
        let run = || {
            let test_provider = TestProvider::find(name)?;
            test_provider.load()?;
            check_on_empty_machine(&test_provider, &mut checked)
        };
        let result = callers::with_site(site, || {
            testing::with_own_machine(|| limits::run_entry(LIMIT, || limits::catch_limit(run)))
        });
        let span = self.sources.find(&path.to_string_lossy()).map(|file| Span::new(file, 0, 0));
        let failure = |text: String| Some(Box::new(Diagnostic::new(Reason::new(Code::SCRIPT_PROPERTY, text), span)));
        if let Some(Err(error)) = result {
            return (PropertyReport(Vec::new()), failure(error::message(&error)));
        }
        let name = Name::new(name);
        for (property, outcome) in &mut checked {
            let times = property_counts::count(name, *property);
            if times > 0 && matches!(outcome, Outcome::Skipped(_)) {
                *outcome = Outcome::Holds(format!("in {times} call{} of tests", if times == 1 { "" } else { "s" }));
            }
        }
        let broken = checked.iter().find_map(|(property, outcome)| match outcome {
            Outcome::Broken(why) => Some(format!("{}: {why}", property.text())),
            _ => None,
        });
        (PropertyReport(checked), broken.and_then(failure))
    }
}

/// A reason on one line.
fn one_line(text: &str) -> String {
    let line = text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_REASON) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

fn skipped(text: impl AsRef<str>) -> Outcome {
    Outcome::Skipped(one_line(text.as_ref()))
}

fn holds() -> Outcome {
    Outcome::Holds("on an empty machine".to_owned())
}

/// The outcome of a check.
fn outcome_of(result: Result<(), Failure>) -> Outcome {
    match result {
        Ok(()) => holds(),
        Err(failure) => Outcome::Broken(one_line(&failure.message)),
    }
}

fn check_on_empty_machine(test_provider: &TestProvider, checked: &mut Vec<(Property, Outcome)>) -> Fallible<()> {
    checked.push((Property::Rows, check_rows(test_provider)?));
    let parameters = sample::parameters(&test_provider.0);
    checked.push((Property::CanonicalTwice, check_canonical(test_provider, &parameters)?));
    let (noop, titles, order, reached) = check_set(test_provider, &parameters)?;
    checked.push((Property::Reached, reached));
    checked.push((Property::SecondRun, check_second_run(test_provider, &parameters)?));
    checked.push((Property::Noop, noop));
    checked.push((Property::GivenTitles, titles));
    checked.push((Property::Order, order));
    Ok(())
}

/// Calls the provider on a new machine.
fn on_new_machine<T>(
    test_provider: &TestProvider,
    lines: &mut LogLines,
    run: impl FnOnce(&mut dyn Provider, &mut Context<'_>) -> T,
) -> Fallible<T> {
    testing::stubs(|stubs| stubs.machine = None)?;
    test_provider.with(lines, |provider, context| Ok(run(provider, context)))
}

fn check_rows(test_provider: &TestProvider) -> Fallible<Outcome> {
    on_new_machine(test_provider, &mut LogLines::default(), |provider, context| match provider.get(context, None) {
        Err(failure) => skipped(format!("get fails on an empty machine: {}", failure.message)),
        Ok(rows) if rows.is_empty() => skipped("get returns nothing on an empty machine"),
        Ok(rows) => outcome_of(properties::rows(provider, context, &rows)),
    })
}

type Parameters = Result<State, String>;

fn check_canonical(test_provider: &TestProvider, parameters: &Parameters) -> Fallible<Outcome> {
    if !test_provider.0.has_feature("canonicalize") {
        return Ok(skipped("the type has no feature canonicalize"));
    }
    let parameters = match parameters {
        Ok(parameters) => parameters,
        Err(why) => return Ok(skipped(why)),
    };
    on_new_machine(test_provider, &mut LogLines::default(), |provider, context| {
        match provider.canonicalize(context, vec![parameters.clone()]) {
            Err(failure) => skipped(format!("canonicalize fails for a sample: {}", failure.message)),
            Ok(once) => outcome_of(properties::canonical_twice(provider, context, &once)),
        }
    })
}

/// The outcomes of `set`: noop, only given titles, order, reached.
type SetOutcomes = (Outcome, Outcome, Outcome, Outcome);

fn check_set(test_provider: &TestProvider, parameters: &Parameters) -> Fallible<SetOutcomes> {
    let all_skipped = |why: &str| (skipped(why), skipped(why), skipped(why), skipped(why));
    let parameters = match parameters {
        Ok(parameters) => parameters,
        Err(why) => return Ok(all_skipped(why)),
    };
    if test_provider.load()?.as_attribute_provider().is_some() {
        return Ok(all_skipped("the provider changes attributes one by one"));
    }
    let noop = match test_provider.0.has_feature("supports_noop") {
        false => skipped("the type has no feature supports_noop"),
        true => check_noop(test_provider, parameters)?,
    };
    let mut lines = LogLines::default();
    let result = on_new_machine(test_provider, &mut lines, |provider, context| {
        let change = match sample_change(provider, context, parameters) {
            Ok(change) => change,
            Err(failure) => return Err(failure.message),
        };
        context.requested = Some(vec![change.name.clone()]);
        context.watch_order();
        let result = provider.set(context, std::slice::from_ref(&change), false);
        let failed = context.take_failed();
        context.requested = None;
        match result {
            Err(failure) => Err(failure.message),
            Ok(()) if failed => Err("a block failed".to_owned()),
            Ok(()) => {
                let order = context.order_problem();
                let reached = properties::reached(provider, context, std::slice::from_ref(&change));
                Ok((change, order, reached))
            }
        }
    })?;
    let foreign = lines.0.iter().find(|line| line.contains(FOREIGN));
    Ok(match result {
        Err(why) if why.contains(FOREIGN) => (noop, Outcome::Broken(one_line(&why)), skipped(&why), skipped(&why)),
        Err(_) if foreign.is_some() => {
            let why = foreign.map(|line| one_line(line)).unwrap_or_default();
            (noop, Outcome::Broken(why.clone()), skipped(&why), skipped(&why))
        }
        Err(why) => {
            let reason = lines.0.iter().find(|line| line.starts_with("Error: ")).unwrap_or(&why);
            let why = format!("set fails on an empty machine: {reason}");
            (noop, skipped(&why), skipped(&why), skipped(&why))
        }
        Ok((change, order, reached)) => {
            // A second run has lost the provider's cache, so it reads everything again.
            let reached = reached.or_else(|failure| {
                let retried = test_provider.with(&mut LogLines::default(), |provider, context| {
                    properties::reached(provider, context, std::slice::from_ref(&change))
                });
                retried.map_err(|_| failure)
            });
            (noop, holds(), order.map_or_else(holds, Outcome::Broken), outcome_of(reached))
        }
    })
}

/// A change that creates the sample.
fn sample_change(
    provider: &mut dyn Provider,
    context: &mut Context<'_>,
    parameters: &State,
) -> Result<Change, Failure> {
    let definition = context.definition.clone();
    let should = definition.desired_state("sample", parameters, Origin::Catalog, &SecretCollection::default());
    let mut should = should.map_err(|messages| Failure::new(messages.join(" ")))?;
    if definition.has_feature("canonicalize") {
        should = provider.canonicalize(context, vec![should])?.pop().unwrap_or_default();
    }
    let name = definition.resource_name(&should);
    Ok(Change { is: Some(absent_state(&definition, &name)), name, should: Some(should) })
}

fn check_noop(test_provider: &TestProvider, parameters: &State) -> Fallible<Outcome> {
    on_new_machine(test_provider, &mut LogLines::default(), |provider, context| {
        let change = match sample_change(provider, context, parameters) {
            Ok(change) => change,
            Err(failure) => return Some(failure.message),
        };
        context.requested = Some(vec![change.name.clone()]);
        context.noop = true;
        provider.set(context, &[change], true).err().map(|failure| failure.message)
    })
    .and_then(|failure| {
        let after = machine::with(|fake| snapshot(fake))?;
        let changed = properties::nothing_changed(&[], &after, machine::changing_runs());
        Ok(match (changed, failure) {
            (Err(failure), _) => Outcome::Broken(one_line(&failure.message)),
            (Ok(()), Some(why)) => skipped(format!("set with noop fails on an empty machine: {why}")),
            (Ok(()), None) => holds(),
        })
    })
}

fn check_second_run(test_provider: &TestProvider, parameters: &Parameters) -> Fallible<Outcome> {
    if test_provider.0.has_feature("remote_resource") {
        return Ok(skipped("the type needs a device"));
    }
    let parameters = match parameters {
        Ok(parameters) => parameters,
        Err(why) => return Ok(skipped(why)),
    };
    testing::stubs(|stubs| stubs.machine = None)?;
    let code = sample::code(&test_provider.0, parameters);
    let catalog = limits::run_in_compile(|| super::site(|site| site.compile(&code, Arc::default())));
    let catalog = match catalog {
        Ok(catalog) => catalog,
        Err(error) => return Ok(skipped(format!("the sample does not compile: {}", error::message(&error)))),
    };
    let (kinds, secrets) = (test_provider.kinds()?, super::secrets()?);
    let mut lines = LogLines::default();
    let first = machine::with(|fake| super::apply_catalog(&catalog, &kinds, &mut lines, fake, &secrets))?;
    if super::has_failed(&first) {
        let reason = first.failure.as_ref().or_else(|| lines.0.iter().find(|line| line.starts_with("Error: ")));
        return Ok(skipped(format!("a run fails on an empty machine: {}", reason.map_or("", String::as_str))));
    }
    // The second run starts without the state of the first.
    let kinds = test_provider.kinds()?;
    let second =
        machine::with(|fake| super::apply_catalog(&catalog, &kinds, &mut LogLines::default(), fake, &secrets))?;
    Ok(outcome_of(properties::idle(&second)))
}
