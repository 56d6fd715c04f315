//! Automatic parameter lookup: the one place where class parameters meet Hiera.

use crate::eval::Evaluator;
use crate::eval::Res;
use crate::names::Name;
use crate::value::Value;

impl Evaluator<'_> {
    /// The value data sources give `class::parameter`, when they have one.
    ///
    /// # Errors
    /// The data is broken.
    pub fn lookup_class_parameter(&mut self, class: Name, parameter: Name) -> Res<Option<Value>> {
        let _ = (class, parameter);
        Ok(None)
    }
}
