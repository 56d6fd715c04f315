//! Limits that stop a manifest before it exhausts the machine.
//!
//! In: names and values as a user wrote them. Out: limits, and the error of a limit that is reached.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use std::time::Instant;

use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::meter;
use catwalk_base::meter::Exceeded;

/// Limits of one compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum time; `None`: no limit.
    pub time: Option<Duration>,
    /// The most steps; `None`: no limit. Unlike the time, they do not depend on the load of the machine.
    pub steps: Option<u64>,
    /// The deepest nesting of calls and declarations.
    pub depth: u32,
    /// The most resources of a catalog: an endless loop of declarations must not take all memory.
    pub resources: usize,
    /// The most calls of functions and blocks.
    pub iterations: u64,
    /// The length of the longest string in bytes.
    pub text: usize,
    /// The most elements of one value, including those of nested values.
    pub elements: usize,
    /// The growth of the process in bytes.
    pub memory: u64,
    /// The largest file that is read, in bytes.
    pub file: u64,
    /// Bytes of PuppetDB's responses that are kept for repeated queries.
    pub responses: u64,
}

/// The deepest nesting that fits the stacks of the threads that compile, also in a debug build.
const MAX_DEPTH: u32 = 2000;

/// The hint of an error about too deep recursion.
const RECURSION: &str = "a value or type contains itself, or is nested too deeply";

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            time: Some(Duration::from_secs(60)),
            steps: None,
            depth: 1000,
            resources: 1_000_000,
            iterations: 100_000_000,
            text: 256 << 20,
            elements: 10_000_000,
            memory: 2 << 30,
            file: catwalk_world::DEFAULT_FILE_LIMIT,
            responses: catwalk_world::DEFAULT_RESPONSE_LIMIT,
        }
    }
}

impl Limits {
    /// The names in `[limits]` and `--limit`.
    pub const NAMES: [&'static str; 9] =
        ["time", "depth", "resources", "iterations", "text", "elements", "memory", "file", "responses"];

    /// Sets a limit: a whole number above zero; the time in seconds may have a fraction, and be 0 for no limit.
    ///
    /// # Errors
    ///
    /// There is no such limit, or the value is invalid.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Reason> {
        let fail =
            |expected: &str| Reason::new(Code::USAGE, format!("the limit '{name}' must be {expected}, got '{value}'"));
        let number = || {
            let number = value.replace('_', "").parse::<u64>().ok().filter(|number| *number > 0);
            number.ok_or_else(|| fail("a whole number above 0"))
        };
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        match name {
            "time" => {
                let seconds = value.parse::<f64>().ok().filter(|seconds| *seconds >= 0.0);
                let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                self.time = Some(time.ok_or_else(|| fail("a number of seconds"))?).filter(|time| !time.is_zero());
            }
            "depth" => {
                let depth = u32::try_from(number()?).ok().filter(|depth| *depth <= MAX_DEPTH);
                self.depth = depth.ok_or_else(|| fail(&format!("at most {MAX_DEPTH}")))?;
            }
            "resources" => self.resources = size(number()?),
            "iterations" => self.iterations = number()?,
            "text" => self.text = size(number()?),
            "elements" => self.elements = size(number()?),
            "memory" => self.memory = number()?,
            "file" => self.file = number()?,
            "responses" => self.responses = number()?,
            _ => {
                let text = format!("there is no limit '{name}': there are {}", Limits::NAMES.join(", "));
                return Err(Reason::new(Code::USAGE, text));
            }
        }
        Ok(())
    }

    /// Whether the value is higher than this limit; a time of 0 is the highest.
    ///
    /// # Errors
    ///
    /// As [`Limits::set`].
    pub fn is_raised_by(&self, name: &str, value: &str) -> Result<bool, Reason> {
        let mut raised = self.clone();
        raised.set(name, value)?;
        let time = |limits: &Limits| limits.time.unwrap_or(Duration::MAX);
        Ok(time(&raised) > time(self)
            || raised.depth > self.depth
            || raised.resources > self.resources
            || raised.iterations > self.iterations
            || raised.text > self.text
            || raised.elements > self.elements
            || raised.memory > self.memory
            || raised.file > self.file
            || raised.responses > self.responses)
    }

    /// The error of an exceeded limit.
    pub(crate) fn exceeded(&self, exceeded: Exceeded) -> Reason {
        let limits = self;
        let (code, text, limit) = match exceeded {
            Exceeded::Forbidden(attempt) => return forbidden(&attempt),
            Exceeded::Interrupted => return Reason::new(Code::INTERRUPTED, "evaluation was interrupted"),
            Exceeded::Depth => return Reason::runtime("stack level too deep").help(RECURSION),
            Exceeded::Search => {
                let text = "regular expression stopped: too many steps, or the string is too long";
                return Reason::new(Code::SEARCH_LIMIT, text);
            }
            Exceeded::Time | Exceeded::Waiting(_) => {
                let seconds = limits.time.unwrap_or_default().as_secs_f64();
                let waited = match exceeded {
                    Exceeded::Waiting(resource) => format!(", waiting for {resource}"),
                    _ => String::new(),
                };
                (Code::TIME_LIMIT, format!("evaluation takes longer than {seconds} seconds{waited}"), "time")
            }
            Exceeded::Steps => {
                let text = format!("evaluation takes more than {} steps", limits.steps.unwrap_or_default());
                return Reason::new(Code::TIME_LIMIT, text);
            }
            Exceeded::Elements => {
                (Code::ELEMENT_LIMIT, format!("a value has more than {} elements", limits.elements), "elements")
            }
            Exceeded::StringLength => {
                (Code::TEXT_LIMIT, format!("a string is longer than {} bytes", limits.text), "text")
            }
            Exceeded::Memory => {
                (Code::MEMORY_LIMIT, format!("evaluation takes more than {} bytes of memory", limits.memory), "memory")
            }
        };
        Reason::new(code, text).help(Limits::hint(limit))
    }

    /// Runs code of a compile before its evaluation, such as the classifier of its node, within the time limit.
    ///
    /// # Errors
    ///
    /// The time is over, or the compile was interrupted.
    pub fn within_time<T>(&self, interrupt: Option<Arc<AtomicBool>>, body: impl FnOnce() -> T) -> Result<T, Reason> {
        let stop_at = self.stop_at();
        let (elements, string_length, memory) = (self.elements, self.text, self.memory);
        let bounds = meter::Bounds {
            stop_at,
            stop_at_step: self.stop_at_step(),
            interrupt,
            elements,
            string_length,
            memory,
            memory_gauge: None,
            before_evaluation: true,
            refusal: None,
        };
        meter::run(bounds, body).map_err(|exceeded| self.exceeded(exceeded))
    }

    /// Reads and parses the files that a compile begins with, within the time limit only: their size is not limited here.
    ///
    /// # Errors
    ///
    /// The time is over, or the compile was interrupted.
    pub fn within_time_only<T>(
        &self,
        interrupt: Option<Arc<AtomicBool>>,
        body: impl FnOnce() -> T,
    ) -> Result<T, Reason> {
        let stop_at = self.stop_at();
        let bounds = meter::Bounds { stop_at, interrupt, before_evaluation: true, ..meter::Bounds::time_only() };
        meter::run(bounds, body).map_err(|exceeded| self.exceeded(exceeded))
    }

    /// The end of the time limit for code that starts now.
    #[must_use]
    pub fn stop_at(&self) -> Option<Instant> {
        self.time.and_then(|limit| Instant::now().checked_add(limit))
    }

    /// The end of the limit on steps for code that starts now in this thread.
    #[must_use]
    pub fn stop_at_step(&self) -> Option<u64> {
        self.steps.map(|limit| meter::steps().saturating_add(limit))
    }

    /// How to raise a limit, for the hint of an error.
    #[must_use]
    pub fn hint(name: &str) -> String {
        let option = if name == "time" { "--time-limit SECONDS".to_owned() } else { format!("--limit {name}=N") };
        format!("raise the limit with {option}, or `{name}` under [limits] in catwalk.toml")
    }
}

/// The error for an action that untrusted code attempted and may not perform.
fn forbidden(attempt: &meter::Forbidden) -> Reason {
    let message = &attempt.message;
    Reason::untrusted(match &attempt.location {
        Some(location) => format!("{message} ({location})"),
        None => message.to_string(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn limits_are_set_by_name() {
        let mut limits = Limits::default();
        limits.set("time", "0.5").unwrap();
        assert_eq!(limits.time, Some(Duration::from_millis(500)));
        limits.set("time", "0").unwrap();
        assert_eq!(limits.time, None);
        limits.set("resources", "10_000").unwrap();
        assert_eq!(limits.resources, 10_000);
        for (name, value) in [
            ("time", "-1"),
            ("time", "x"),
            ("time", "NaN"),
            ("time", "1e300"),
            ("depth", "1000000"),
            ("text", "0"),
            ("nope", "1"),
        ] {
            assert!(limits.set(name, value).is_err(), "{name}={value}");
        }
    }
}
