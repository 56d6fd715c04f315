//! Methods of the small objects of Ruby's libraries, and of the host's own classes.
//!
//! In: an object of a class that is not the program's, the name of a method. Out: its result; `None` if the class has none.

use std::rc::Rc;

use crate::Interp;
use crate::Raise;
use crate::core::random;
use crate::library::openssl;
use crate::library::processes;
use crate::library::uri;
use crate::value::Instance;
use crate::value::Rv;

impl Interp<'_> {
    /// Calls a method of one of these objects; `None` if its class has none of this name.
    pub(crate) fn call_library_object(&mut self, this: &Rc<Instance>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
        match (this.class.as_str(), name) {
            (openssl::DIGEST | openssl::HMAC, _) => {
                if let Some(value) = openssl::call(self, this, name, args)? {
                    return Ok(Some(value));
                }
            }
            (random::CLASS, "bytes" | "rand" | "seed") => return random::call(self, this, name, args).map(Some),
            (processes::STATUS, _) => {
                if let Some(value) = processes::call_status(this, name) {
                    return Ok(Some(value));
                }
            }
            _ => {}
        }
        if uri::is_class(this.class.as_str())
            && let Some(value) = uri::call(self, this, name, args)?
        {
            return Ok(Some(value));
        }
        self.host.call_object(self.state, this, name, args)
    }
}
