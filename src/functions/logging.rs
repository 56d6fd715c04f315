//! `debug`, `info`, `notice`, `warning`, `err`, `alert`, `emerg`, `crit`: write to the log of the compile.

use crate::diag::Severity;
use crate::eval::Call;
use crate::eval::Res;
use crate::functions::Function;
use crate::value::Value;

/// The values joined with blanks; their source is the scope they come from.
fn write(call: &mut Call<'_, '_>, severity: Severity) -> Res<Value> {
    let texts: Vec<_> = call.args.iter().map(|value| call.text(value)).collect();
    let source = call.ev.scope_text();
    call.ev.log_from(&source, severity, texts.join(" "));
    Ok(Value::Undef)
}

macro_rules! level {
    ($constant:ident, $name:literal, $severity:ident) => {
        #[doc = concat!("`", $name, "`")]
        pub(super) const $constant: Function = Function {
            name: $name,
            signatures: &[("Any *$values >> Undef", |call| write(call, Severity::$severity))],
            doc: concat!("Logs a message on the server at level `", $name, "`."),
            examples: &[],
        };
    };
}

level!(ALERT, "alert", Alert);
level!(CRIT, "crit", Crit);
level!(DEBUG, "debug", Debug);
level!(EMERG, "emerg", Emerg);
level!(ERR, "err", Error);
level!(INFO, "info", Info);
level!(NOTICE, "notice", Notice);
level!(WARNING, "warning", Warning);
