//! Entering and leaving frames, with reuse of unused ones.
//!
//! In: the code that is about to run. Out: its frame, without variables or with those of the last run of the same block. Must
//! not: run anything.

use std::cell::Cell;
use std::rc::Rc;

use crate::Frame;
use crate::FrameParts;
use crate::Interp;
use crate::MethodContext;
use crate::object::definitions::MethodEntry;
use crate::value::Callable;
use crate::value::Rv;

/// Maximum number of frames in the pool.
const MAX_POOLED: usize = 64;

/// Whether two values are the same object or constant; contents are not compared.
#[inline]
fn is_same(a: &Rv, b: &Rv) -> bool {
    match (a, b) {
        (Rv::Object(a), Rv::Object(b)) => Rc::ptr_eq(a, b),
        (Rv::Class(a), Rv::Class(b)) => a == b,
        (Rv::Scope, Rv::Scope) => true,
        _ => false,
    }
}

/// A new frame for a call of a method.
#[inline(never)]
fn method_frame(method: MethodContext, this: &Rv) -> Rc<Frame> {
    let class = method.entry.as_ref().map(|entry| entry.constant_scope);
    Frame::new(FrameParts { outer: None, this: this.clone(), method: Some(method), tag: 0, class })
}

/// Reuses the frame of a call that has ended, for a call of another method or with another receiver.
#[inline(never)]
fn reuse_method_frame(mut frame: Rc<Frame>, method: MethodContext, this: &Rv) -> Rc<Frame> {
    match Rc::get_mut(&mut frame) {
        None => method_frame(method, this),
        Some(free) => {
            free.class = method.entry.as_ref().map(|entry| entry.constant_scope);
            free.method = Some(method);
            if !is_same(&free.this, this) {
                free.this = this.clone();
            }
            frame
        }
    }
}

impl FrameParts {
    /// The frame for a run of a block inside this one; the block's own frame is not that of a method.
    pub(crate) fn for_block(outer: &Rc<Frame>, tag: u64) -> FrameParts {
        let around = if outer.rebinds { outer.outer.clone() } else { Some(outer.clone()) };
        FrameParts { outer: around, this: outer.this.clone(), method: None, tag, class: outer.class }
    }
}

impl Frame {
    /// A frame without variables for a block that is called with another `self`.
    pub(crate) fn new_rebinding(parts: FrameParts) -> Rc<Frame> {
        let mut frame = Frame::new(parts);
        if let Some(new_frame) = Rc::get_mut(&mut frame) {
            new_frame.rebinds = true;
        }
        frame
    }
}

impl Interp<'_> {
    /// A frame for code that is not a method.
    pub(crate) fn enter(&mut self, parts: FrameParts) -> Rc<Frame> {
        let Some(mut spare) = self.spare_frames.pop() else { return Frame::new(parts) };
        let Some(frame) = Rc::get_mut(&mut spare) else { return Frame::new(parts) };
        let FrameParts { outer, this, method, tag, class } = parts;
        frame.outer = outer;
        std::mem::replace(&mut frame.this, this).discard();
        if method.is_some() {
            frame.method = method;
        }
        frame.tag = tag;
        frame.class = class;
        frame.visibility = Cell::default();
        spare
    }

    /// A frame for a run of a block that is not a lambda: that of its last run, unless other code ran in between.
    #[inline]
    pub(crate) fn enter_block(&mut self, outer: &Rc<Frame>, tag: u64) -> Rc<Frame> {
        if let Some(last_frame) = self.last_block_frame.take() {
            if last_frame.tag == tag
                && last_frame.outer.as_ref().is_some_and(|last_outer| Rc::ptr_eq(last_outer, outer))
            {
                return last_frame;
            }
            self.leave(last_frame);
        }
        self.enter(FrameParts::for_block(outer, tag))
    }

    /// As [`Interp::enter_block`] for a block with another `self`. Its frame is treated as that of a method, so that it is not
    /// kept for a run with the block's own `self`.
    pub(crate) fn enter_rebound(&mut self, outer: &Rc<Frame>, tag: u64) -> Rc<Frame> {
        let id = self.fresh_id();
        let method = outer.method().cloned().unwrap_or_else(|| MethodContext::outside_method(id));
        self.enter(FrameParts { method: Some(method), ..FrameParts::for_block(outer, tag) })
    }

    /// Ends the run of a block; the next run reuses its frame, unless something holds it.
    #[inline]
    pub(crate) fn leave_block(&mut self, mut frame: Rc<Frame>) {
        if Rc::strong_count(&frame) > 1 {
            self.release_inner_block_frame(&frame);
        }
        if frame.method.is_some() {
            return self.leave(frame);
        }
        if Rc::get_mut(&mut frame).is_some()
            && let Some(last) = self.last_block_frame.replace(frame)
        {
            self.leave(last);
        }
    }

    /// Releases the frame of a block inside this one that was kept for its next run.
    fn release_inner_block_frame(&mut self, frame: &Rc<Frame>) {
        if let Some(last_frame) = self.last_block_frame.take_if(|last_frame| last_frame.is_inside(frame)) {
            self.leave(last_frame);
        }
    }

    /// A frame for a call of a method.
    #[inline(always)]
    pub(crate) fn enter_method(
        &mut self,
        entry: &Rc<MethodEntry>,
        this: &Rv,
        block: Option<Rc<Callable>>,
    ) -> Rc<Frame> {
        let id = self.fresh_id();
        if let Some(mut spare) = self.spare_method_frames.pop() {
            if let Some(frame) = Rc::get_mut(&mut spare)
                && let Some(method) = &mut frame.method
                && let Some(last) = &method.entry
                && Rc::ptr_eq(last, entry)
                && is_same(&frame.this, this)
            {
                method.id = id;
                if block.is_some() {
                    method.block = block;
                }
                return spare;
            }
            return reuse_method_frame(spare, MethodContext::for_method(entry, id, block), this);
        }
        method_frame(MethodContext::for_method(entry, id, block), this)
    }

    /// Ends the call of a method; another call may reuse its frame, unless something holds it. The frame keeps its method and
    /// receiver, because most later calls have the same.
    #[inline(always)]
    pub(crate) fn leave_method(&mut self, mut frame: Rc<Frame>) {
        let Some(free) = Rc::get_mut(&mut frame) else { return self.leave(frame) };
        free.clear();
        if let Some(method) = &mut free.method
            && method.block.is_some()
        {
            method.block = None;
        }
        free.visibility = Cell::default();
        if self.spare_method_frames.len() < MAX_POOLED {
            self.spare_method_frames.push(frame);
        }
    }

    /// Ends the run of code; other code may reuse its frame, unless something holds it.
    pub(crate) fn leave(&mut self, mut frame: Rc<Frame>) {
        self.release_inner_block_frame(&frame);
        let Some(free) = Rc::get_mut(&mut frame) else { return };
        // A lambda also refers to the call around it.
        if free.outer.is_none() && free.method.as_ref().is_some_and(|method| method.entry.is_some()) {
            return self.leave_method(frame);
        }
        free.clear();
        free.this = Rv::Nil;
        free.outer = None;
        free.method = None;
        if self.spare_frames.len() < MAX_POOLED {
            self.spare_frames.push(frame);
        }
    }
}
