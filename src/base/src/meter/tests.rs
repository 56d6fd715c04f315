//! Tests of limits and their scopes.

use std::panic::catch_unwind;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::*;

const BOUNDS: Bounds = Bounds {
    stop_at: None,
    stop_at_step: None,
    interrupt: None,
    elements: 10,
    string_length: 10,
    memory: 1000,
    memory_gauge: None,
    before_evaluation: false,
    refusal: None,
};

#[test]
fn an_exceeded_limit_ends_the_body() {
    assert_eq!(run(BOUNDS, || 1), Ok(1));
    assert_eq!(run(BOUNDS, || check_elements(11)), Err(Exceeded::Elements));
    assert_eq!(run(BOUNDS, || check_string(11)), Err(Exceeded::StringLength));
    assert_eq!(run(BOUNDS, || (0..100).for_each(|_| charge(1 << 20))), Err(Exceeded::Memory));
    assert_eq!(run(BOUNDS, || collect(0..)).map(|all: Vec<i32>| all.len()), Err(Exceeded::Elements));
    let late = Bounds { stop_at: Some(Instant::now()), ..BOUNDS };
    assert_eq!(run(late, || (0..u64::MAX).for_each(|_| tick(1))), Err(Exceeded::Time));
    let interrupt = Bounds { interrupt: Some(Arc::new(AtomicBool::new(true))), ..BOUNDS };
    assert_eq!(run(interrupt, || (0..u64::MAX).for_each(|_| tick(1))), Err(Exceeded::Interrupted));
}

#[test]
fn large_allocations_are_checked_in_advance() {
    let memory_gauge = Some(MemoryGauge { resident: || Some(100 << 20), base: 20 << 20 });
    let bounds = || Bounds { memory: 100 << 20, string_length: usize::MAX, memory_gauge, ..BOUNDS };
    assert_eq!(run(bounds(), || check_allocation(20 << 20)), Ok(()));
    assert_eq!(run(bounds(), || check_allocation(21 << 20)), Err(Exceeded::Memory));
    assert_eq!(run(bounds(), || to_vec(&vec![0u8; 21 << 20]).len()), Err(Exceeded::Memory));
    let long = "x".repeat(12 << 20);
    assert_eq!(run(bounds(), || push_str(&mut long.clone(), "y")), Err(Exceeded::Memory));
    let full = || Bounds { memory: 50 << 20, ..bounds() };
    assert_eq!(run(full(), || (0..15).for_each(|_| charge(1 << 20))), Ok(()));
    assert_eq!(run(full(), || (0..40).for_each(|_| charge(1 << 20))), Err(Exceeded::Memory));
}

#[test]
fn a_wait_ends_with_the_limit_that_was_reached() {
    let waits = |bounds: Bounds| {
        run(bounds, || {
            // The second call does not ask for the memory of the process: the wait is the first to see it.
            charge((16 << 20) - 1000);
            charge(2000);
            check(|| "server".to_owned());
        })
    };
    let memory_gauge = Some(MemoryGauge { resident: || Some(200 << 20), base: 20 << 20 });
    let full = || Bounds { memory: 100 << 20, memory_gauge, ..BOUNDS };
    assert_eq!(waits(full()), Err(Exceeded::Memory));
    assert_eq!(waits(Bounds { memory: 1 << 30, ..full() }), Ok(()));
    // Time is named first.
    assert_eq!(waits(Bounds { stop_at: Some(Instant::now()), ..full() }), Err(Exceeded::Time));
    let interrupt = Some(Arc::new(AtomicBool::new(true)));
    assert_eq!(waits(Bounds { interrupt, ..full() }), Err(Exceeded::Interrupted));
}

#[test]
fn only_run_catches_forbidden_attempts() {
    let text: Arc<str> = Arc::from("no");
    forbid(&text);
    let inner = || catch(|| with_location(&mut 7, |_| forbid(&text), |line| Some(format!("a.rb:{line}")))).is_err();
    assert_eq!(
        run(BOUNDS, || with_location(&mut 1, |_| inner(), |line| Some(format!("b.rb:{line}")))),
        Err(Exceeded::Forbidden(Arc::new(Forbidden { message: text.clone(), location: Some("a.rb:7".to_owned()) })))
    );
    let refusal = RefusalSlot::default();
    let reading = Bounds { before_evaluation: true, refusal: Some(refusal.clone()), ..BOUNDS };
    assert_eq!(run(reading, || with(None, || forbid(&text))), Ok(()));
    assert_eq!(refusal.lock().take(), Some(text));
}

#[test]
fn with_changes_limits_and_keeps_counted_bytes() {
    let wide = Bounds { elements: 100, memory: 100 << 20, ..BOUNDS };
    let counted = run(wide.clone(), || {
        charge(50 << 20);
        with(Some(BOUNDS), || assert_eq!(catch(|| check_elements(11)), Err(Exceeded::Elements)));
        with(None, || check_elements(usize::MAX));
        assert_eq!(bounds().map(|bounds| bounds.elements), Some(100));
        with(Some(wide), || charge(20 << 20));
        is_measurement_due()
    });
    assert_eq!(counted, Ok(true));
    assert!(bounds().is_none());
}

#[test]
fn nothing_is_limited_outside_of_run_and_panics_continue() {
    check_elements(usize::MAX);
    check_string(usize::MAX);
    assert_eq!(run(BOUNDS, || run(Bounds { elements: 100, ..BOUNDS }, || check_elements(50))), Ok(Ok(())));
    assert_eq!(run(BOUNDS, || catch(|| check_elements(50))), Ok(Err(Exceeded::Elements)));
    let other = catch_unwind(|| run(BOUNDS, || resume_unwind(Box::new("other"))));
    let payload: Box<dyn std::any::Any + Send> = other.map(|_: Result<(), _>| ()).unwrap_err();
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"other"));
    check_elements(usize::MAX);
}

#[test]
fn a_limit_on_steps_ends_after_the_same_number_of_steps() {
    let count = || {
        let done = std::cell::Cell::new(0);
        let bounds = Bounds { stop_at_step: Some(steps() + 1_000_000), ..BOUNDS };
        let result = run(bounds, || {
            loop {
                tick(9);
                done.set(done.get() + 1);
            }
        });
        assert_eq!(result, Err::<(), _>(Exceeded::Steps));
        done.get()
    };
    let first = count();
    assert!((100_000..110_000).contains(&first), "{first}");
    // A limit that ended another run before does not matter.
    assert_eq!(count(), first);
}
