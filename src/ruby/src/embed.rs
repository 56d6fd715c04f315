//! Running code for a host that does not need more than its result.
//!
//! In: the source of a program. Out: the value of its last expression, or what it threw in words.

use std::rc::Rc;

use crate::Interp;
use crate::object::exception::Flow;
use crate::object::exception::Raise;
use crate::object::exception::Thrown;
use crate::value::Failure;
use crate::value::Instance;
use crate::value::Rv;
use catwalk_base::names::Name;

impl Interp<'_> {
    /// Runs a program; `self` is an object. The result is the value of its last expression.
    ///
    /// # Errors
    /// What the program throws; `SyntaxError`.
    pub fn run(&mut self, source: &str) -> Raise<Rv> {
        let this = Rv::Object(Rc::new(Instance::new(Name::new("Object"))));
        let frame = self.top_frame(this);
        let file = self.file.to_string();
        self.eval_string(source, Some(file), &frame)
    }

    /// What a program threw: the class and the message of an exception.
    pub fn describe(&mut self, thrown: Thrown) -> String {
        match self.catch(thrown) {
            Flow::Raise(exception) => {
                let class = self.display_class(exception.class);
                let message = exception.message.borrow().clone();
                format!("{class}: {}", self.to_s(&message).unwrap_or_default())
            }
            Flow::Stop(Failure::Reason(reason)) => reason.message.to_string(),
            Flow::Stop(Failure::Host(_)) => "a failure of the host".to_owned(),
            Flow::Throw(tag, _) => {
                format!("UncaughtThrowError: uncaught throw {}", self.inspect(&tag).unwrap_or_default())
            }
            Flow::Break(..) | Flow::Next(_) | Flow::Retry | Flow::Redo | Flow::Return(..) => {
                "unexpected jump".to_owned()
            }
        }
    }
}
