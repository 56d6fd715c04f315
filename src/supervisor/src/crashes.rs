//! The requests that were being answered when the serving process died: which of them to refuse in the next one.
//!
//! In: the beginnings and ends of requests, deaths of the process. Out: the requests that are refused. Must not: start processes, read the
//! clock.

use std::collections::BTreeMap;
use std::time::Duration;
use std::time::Instant;

/// A request that was being answered in so many deaths is refused.
const DEATHS: u32 = 2;
/// How long a request is refused. Then it may be answered again; if that ends the process once more, it is refused for as long again.
pub(crate) const REFUSAL: Duration = Duration::from_secs(30 * 60);
/// The most requests that are remembered.
const MAX_REQUESTS: usize = 200;

/// A request that was being answered when the process died.
struct Suspect {
    deaths: u32,
    last: Instant,
}

/// The requests of the serving processes.
#[derive(Default)]
pub(crate) struct Crashes {
    running: BTreeMap<u64, String>,
    suspects: BTreeMap<String, Suspect>,
}

impl Crashes {
    /// A request is being answered.
    pub(crate) fn begin(&mut self, id: u64, request: String) {
        self.running.insert(id, request);
    }

    /// A request has been answered, so it does not end the process.
    pub(crate) fn end(&mut self, id: u64) {
        if let Some(request) = self.running.remove(&id) {
            self.suspects.remove(&request);
        }
    }

    /// The process has died. Returns the requests that were being answered, in the order in which they began.
    pub(crate) fn died(&mut self, now: Instant) -> Vec<String> {
        let mut requests: Vec<String> = Vec::new();
        for request in std::mem::take(&mut self.running).into_values() {
            if !requests.contains(&request) {
                requests.push(request);
            }
        }
        if self.suspects.len() + requests.len() > MAX_REQUESTS {
            self.suspects.retain(|_, suspect| suspect.deaths >= DEATHS);
        }
        for request in requests.iter().take(MAX_REQUESTS.saturating_sub(self.suspects.len())) {
            let suspect = self.suspects.entry(request.clone()).or_insert(Suspect { deaths: 0, last: now });
            suspect.deaths += 1;
            suspect.last = now;
        }
        requests
    }

    /// The requests that the next process refuses, sorted, with the time that is left.
    pub(crate) fn refused(&mut self, now: Instant) -> Vec<(String, Duration)> {
        let mut refused = Vec::new();
        for (request, suspect) in &mut self.suspects {
            let left = REFUSAL.saturating_sub(now.saturating_duration_since(suspect.last));
            if suspect.deaths >= DEATHS && left.is_zero() {
                suspect.deaths = DEATHS - 1;
            } else if suspect.deaths >= DEATHS {
                refused.push((request.clone(), left));
            }
        }
        refused.sort();
        refused
    }

    /// All requests are answered again.
    pub(crate) fn forget(&mut self) {
        self.suspects.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_was_there_in_two_deaths_is_refused_for_a_while() {
        let mut crashes = Crashes::default();
        let start = Instant::now();
        crashes.begin(1, "bad".to_owned());
        crashes.begin(2, "good".to_owned());
        assert_eq!(crashes.died(start), ["bad", "good"]);
        assert!(crashes.refused(start).is_empty());
        crashes.begin(3, "good".to_owned());
        crashes.end(3);
        crashes.begin(4, "bad".to_owned());
        crashes.begin(5, "good".to_owned());
        crashes.begin(6, "good".to_owned());
        assert_eq!(crashes.died(start), ["bad", "good"]);
        assert_eq!(crashes.refused(start), [("bad".to_owned(), REFUSAL)], "the other one has been answered in between");
        let later = start + REFUSAL;
        assert!(crashes.refused(later).is_empty());
        crashes.begin(7, "bad".to_owned());
        assert_eq!(crashes.died(later), ["bad"]);
        assert_eq!(crashes.refused(later).len(), 1, "one more death is enough");
        crashes.forget();
        assert!(crashes.refused(later).is_empty());
    }

    #[test]
    fn few_requests_are_remembered() {
        let mut crashes = Crashes::default();
        let start = Instant::now();
        for round in 0..3_u64 {
            for number in 0..1000 {
                crashes.begin(number, format!("{round} {number}"));
            }
            assert_eq!(crashes.died(start).len(), 1000);
            assert!(crashes.suspects.len() <= MAX_REQUESTS);
        }
    }
}
