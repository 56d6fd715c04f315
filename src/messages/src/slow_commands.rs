//! Finds external commands that took much of the time of a run.
//!
//! In: the commands that were started, the time of all compiles. Out: hints. Must not: print.

use std::time::Duration;

use catwalk_world::CommandRuns;

/// Commands are reported from this share of the time of all compiles on, if they took at least `SLOW_TIME`.
const SLOW_SHARE: f64 = 0.2;
const SLOW_TIME: Duration = Duration::from_millis(200);

/// Hints about commands that took much of the time of all compiles, with the lines that declare them as pure.
#[must_use]
pub fn hints(ran: &[CommandRuns], all: Duration) -> Vec<String> {
    let slow = |ran: &&CommandRuns| ran.time >= SLOW_TIME && ran.time.as_secs_f64() >= SLOW_SHARE * all.as_secs_f64();
    let hint = |ran: &CommandRuns| {
        let CommandRuns { outline, runs, repeated, time, has_bare_runs, has_longer_runs } = ran;
        let plural = if *runs == 1 { "" } else { "s" };
        let share = (100.0 * time.as_secs_f64() / all.as_secs_f64()).min(100.0);
        let mut text = format!(
            "hint: `{outline}` took {share:.0} % of the time of these compiles: {runs} run{plural}, {:.1} s",
            time.as_secs_f64()
        );
        if *repeated > 0 {
            let line = escaped(outline);
            let patterns = [has_bare_runs.then(|| line.clone()), has_longer_runs.then(|| format!("{line} *"))];
            let patterns: Vec<String> = patterns.into_iter().flatten().collect();
            text.push_str(&format!(
                "; {repeated} of them repeated an earlier run. If its output depends only on its arguments, declare it in catwalk.toml:\n\
                 \n    [commands]\n    pure = {}\n",
                serde_json::Value::from(patterns)
            ));
        }
        text
    };
    ran.iter().filter(slow).map(hint).collect()
}

/// A pattern that matches only this command line.
fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for char in text.chars() {
        if matches!(char, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(outline: &str, (runs, repeated): (usize, usize), milliseconds: u64) -> CommandRuns {
        let time = Duration::from_millis(milliseconds);
        CommandRuns { outline: outline.to_owned(), runs, repeated, time, has_bare_runs: false, has_longer_runs: true }
    }

    #[test]
    fn commands_that_took_a_fifth_of_the_time_are_named_with_the_line_that_makes_them_pure() {
        let all = [
            ran("/usr/bin/systemd-analyze calendar", (188, 170), 900),
            ran("/bin/a[b]", (1, 0), 400),
            ran("/bin/date", (10, 9), 190),
        ];
        let hints = hints(&all, Duration::from_secs(2));
        assert_eq!(hints.len(), 2);
        let first = "hint: `/usr/bin/systemd-analyze calendar` took 45 % of the time of these compiles: 188 runs, 0.9 s; 170 of them \
                     repeated an earlier run.";
        assert!(hints.first().is_some_and(|hint| hint.starts_with(first)), "{hints:?}");
        assert!(hints.first().is_some_and(|hint| hint.contains("pure = [\"/usr/bin/systemd-analyze calendar *\"]")));
        assert_eq!(
            hints.get(1).map(String::as_str),
            Some("hint: `/bin/a[b]` took 20 % of the time of these compiles: 1 run, 0.4 s")
        );
        assert!(super::hints(&all, Duration::from_secs(60)).is_empty());
        assert_eq!(escaped("/bin/a[b]*"), "/bin/a\\[b\\]\\*");
    }
}
