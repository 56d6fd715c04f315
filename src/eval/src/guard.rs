//! Checks of limits during a compile: time, calls, sizes of values, memory.
//!
//! In: the evaluator's settings and the counters of [`catwalk_base::meter`]. Out: errors with a hint on how to raise the limit.

use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::CallFrame;
use crate::Evaluator;
use crate::Limits;
use crate::Res;
use crate::Stop;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::meter;
use catwalk_base::meter::Exceeded;
use catwalk_catalog::Resource;
use catwalk_value::MAX_NESTING;
use catwalk_value::Type;
use catwalk_value::Value;

impl<'c> Evaluator<'c> {
    /// Runs `body` within the limits of this compile. All external callers evaluate through this function.
    ///
    /// # Errors
    ///
    /// The failure of `body`; a limit that is reached.
    pub fn within_limits<T>(&mut self, body: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if self.base_memory.is_none() {
            self.base_memory = self.world.memory();
        }
        let memory_gauge =
            self.base_memory.map(|base| meter::MemoryGauge { resident: catwalk_world::resident_memory, base });
        let limits = &self.settings.limits;
        let bounds = meter::Bounds {
            memory_gauge,
            stop_at: self.stop_at,
            stop_at_step: limits.stop_at_step(),
            interrupt: self.settings.interrupt.clone(),
            elements: limits.elements,
            string_length: limits.text,
            memory: limits.memory,
            before_evaluation: false,
            refusal: None,
        };
        match meter::run(bounds, || body(self)) {
            Ok(result) => result,
            Err(exceeded) => {
                let reason = self.exceeded(exceeded);
                // Calls by Hiera have no position.
                let mut calls = self.frames.iter().rev().map(|frame| frame.called_at);
                let called = calls.find(|span| self.program.sources.locate(*span).is_some());
                self.frames.clear();
                Err(called.map_or_else(|| reason.clone().into(), |span| Stop::issue(reason.clone(), span)))
            }
        }
    }

    /// Runs `body` with a step of the call stack around it. Too deep a stack is an error.
    ///
    /// # Errors
    /// The failure of `body`; nesting beyond the limit; a limit that is reached.
    pub fn framed<T>(&mut self, frame: CallFrame, body: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let deepest = self.settings.limits.depth;
        if self.frames.len() >= deepest as usize {
            let help = format!("calls are nested more than {deepest} deep; {}", Limits::hint("depth"));
            return Err(Reason::runtime("stack level too deep").help(help).into());
        }
        self.check_time()?;
        let _step = frame.code.enter();
        let (frames, depth, scope) = (self.frames.len(), self.depth, self.scope);
        self.frames.push(frame);
        let result = match meter::catch(|| body(self)) {
            Ok(result) => result,
            Err(exceeded) => {
                self.depth = depth;
                self.scope = scope;
                Err(self.exceeded(exceeded).into())
            }
        };
        self.frames.truncate(frames);
        result
    }

    /// Restarts the clock of the time limit.
    pub fn restart_clock(&mut self) {
        self.calls = 0;
        self.stop_at = self.settings.limits.time.and_then(|limit| Instant::now().checked_add(limit));
    }

    /// Fails if the compile has exceeded a limit. Called for every call of a function or block.
    #[inline]
    pub(super) fn check_time(&mut self) -> Res<()> {
        self.calls = self.calls.wrapping_add(1);
        if self.calls.is_multiple_of(1024) || meter::is_measurement_due() { self.check_limits() } else { Ok(()) }
    }

    /// Checks all limits immediately. For long iterations without calls of functions.
    #[cold]
    pub fn check_limits(&mut self) -> Res<()> {
        let fail = |ev: &Self, exceeded| Err(ev.exceeded(exceeded).into());
        if self.settings.interrupt.as_ref().is_some_and(|interrupt| interrupt.load(Ordering::Relaxed)) {
            return fail(self, Exceeded::Interrupted);
        }
        if self.stop_at.is_some_and(|stop_at| Instant::now() > stop_at) {
            return fail(self, Exceeded::Time);
        }
        let limit = self.settings.limits.iterations;
        if self.calls > limit {
            let text = format!("evaluation makes more than {limit} calls of functions and blocks");
            return Err(Reason::new(Code::ITERATION_LIMIT, text).help(Limits::hint("iterations")).into());
        }
        if meter::is_measurement_due() {
            meter::reset_bytes();
            // If the world does not know the memory, only the size of single values is limited.
            if let Some(now) = self.world.memory() {
                let lowest = now.min(*self.base_memory.get_or_insert(now));
                self.base_memory = Some(lowest);
                if now.saturating_sub(meter::parallel::base_memory(lowest, now)) > self.settings.limits.memory {
                    meter::parallel::request_repeat();
                    return fail(self, Exceeded::Memory);
                }
            }
        }
        Ok(())
    }

    /// The error of an exceeded limit.
    pub(crate) fn exceeded(&self, exceeded: Exceeded) -> Reason {
        self.settings.limits.exceeded(exceeded)
    }

    /// Fails if a string is too long.
    #[inline]
    pub(crate) fn check_text(&self, bytes: usize) -> Res<()> {
        if bytes <= self.settings.limits.text { Ok(()) } else { Err(self.exceeded(Exceeded::StringLength).into()) }
    }

    /// Fails for a value that is too large. The value of each expression is checked.
    #[inline]
    pub(crate) fn check_value(&self, value: &Value) -> Res<()> {
        match value {
            Value::Str(text) => self.check_text(text.len()),
            Value::Binary(bytes) => self.check_text(bytes.len()),
            Value::Undef | Value::Default | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {
                Ok(())
            }
            // Its strings were checked before.
            Value::Type(Type::Resource(_) | Type::Class(_)) => Ok(()),
            value => self.check_size(value),
        }
    }

    fn check_size(&self, value: &Value) -> Res<()> {
        let (limits, measure) = (&self.settings.limits, value.measure());
        if measure.depth > MAX_NESTING {
            let text = format!("a value is nested more than {MAX_NESTING} levels deep");
            return Err(Reason::new(Code::NESTING_LIMIT, text).into());
        }
        if measure.elements as usize > limits.elements {
            return Err(self.exceeded(Exceeded::Elements).into());
        }
        if measure.bytes > limits.memory / 2 {
            return Err(self.exceeded(Exceeded::Memory).into());
        }
        Ok(())
    }

    /// Fails for a catalog that is too large.
    pub(super) fn check_catalog(&self, resources: &[Resource]) -> Res<()> {
        let (mut elements, mut bytes) = (0u64, 0u64);
        for (_, value) in resources.iter().flat_map(|resource| &resource.parameters) {
            let measure = value.measure();
            elements = elements.saturating_add(u64::from(measure.elements));
            bytes = bytes.saturating_add(measure.bytes);
        }
        // In a document, an element takes several times the memory of the value.
        let limits = &self.settings.limits;
        let max_elements = limits.elements / 4;
        let fail = |text: String, limit: &str| {
            Err(Reason::new(Code::CATALOG_TOO_LARGE, text).help(Limits::hint(limit)).into())
        };
        if elements > max_elements as u64 {
            return fail(format!("the catalog's values have more than {max_elements} elements"), "elements");
        }
        if bytes > limits.memory / 4 {
            return fail(format!("the catalog's strings have more than {} bytes", limits.memory / 4), "memory");
        }
        Ok(())
    }
}
