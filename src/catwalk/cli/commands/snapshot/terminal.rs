//! The review on a terminal: reads keys and draws the screen of [`Review`].

use std::io::IsTerminal;

use crossterm::event;
use crossterm::event::Event;

use crate::cli::screen::KeyPress;
use crate::cli::screen::Screen;
use catwalk_base::diag::Reason;
use catwalk_snapshot::Store;
use catwalk_snapshot::decide;
use catwalk_snapshot::decide::Decision;
use catwalk_snapshot::review::Review;
use catwalk_snapshot::review::Step;

/// Reviews pending changes; returns a summary of the decisions.
///
/// # Errors
/// There is no terminal; a file cannot be read or written.
pub(super) fn review(store: &Store) -> Result<String, Reason> {
    let proposals = decide::proposals(store)?;
    if proposals.is_empty() {
        return Ok(super::NOTHING.to_owned());
    }
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        let text = "a review needs a terminal";
        return Err(Reason::usage(text).help("`catwalk snapshot list --diff`, `catwalk snapshot accept PATTERN`"));
    }
    let groups = decide::groups(proposals.iter().map(|proposal| (proposal.name.as_str(), proposal.hunks.as_slice())));
    let mut review = Review::new(groups);
    let failed = |error: std::io::Error| Reason::runtime(format!("the terminal: {error}"));
    if !run_review(&mut review).map_err(failed)? {
        return Ok("nothing was decided".to_owned());
    }
    let [accepted, rejected, open] = review.counts();
    for decision in [Decision::Accept, Decision::Reject] {
        let chosen = review.decided(decision);
        decide::decide(store, decision, &|name, reference, _| chosen.contains(&(name, reference)))?;
    }
    let changes = if accepted == 1 { "change" } else { "changes" };
    Ok(format!("{accepted} {changes} accepted, {rejected} rejected, {open} left open"))
}

/// Runs the review until its end. Returns whether to carry out the decisions.
fn run_review(review: &mut Review) -> std::io::Result<bool> {
    let mut screen = Screen::open()?;
    loop {
        let size = screen.size();
        screen.draw(review.screen(size.0, size.1), size)?;
        let Event::Key(event) = event::read()? else { continue };
        match KeyPress::from_event(event) {
            None => {}
            Some(KeyPress::Interrupt) => return Ok(false),
            Some(KeyPress::Suspend) => screen.suspend()?,
            Some(KeyPress::Key(key)) => match review.press(key) {
                Step::Draw => {}
                Step::Write => return Ok(true),
                Step::Quit => return Ok(false),
            },
        }
    }
}
