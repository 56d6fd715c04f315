//! `debug`, `info`, `notice`, `warning`, `err`, `alert`, `emerg`, `crit`: write to the log of the compile.

use crate::Function;
use catwalk_base::diag::Severity;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Value;

/// Logs the values, joined with spaces. The source is the current scope. If the level is not logged, the values are not formatted.
fn write(call: &mut Call<'_, '_>, severity: Severity) -> Res<Value> {
    if !call.ev.logs(severity) {
        return Ok(Value::Undef);
    }
    let texts: Vec<_> = call.args.iter().map(|value| call.interpolate(value)).collect();
    let source = call.ev.scope_label();
    call.ev.log_from(&source, severity, texts.join(" "));
    Ok(Value::Undef)
}

macro_rules! level {
    ($constant:ident, $name:literal, $severity:ident, $doc:literal, $examples:expr) => {
        #[doc = concat!("`", $name, "`")]
        pub(super) const $constant: Function = Function {
            name: $name,
            signatures: &[("Any *$values >> Undef", |call| write(call, Severity::$severity))],
            doc: $doc,
            examples: $examples,
        };
    };
}

level!(
    ALERT,
    "alert",
    Alert,
    "Writes a message to the server's log at level `alert`. The arguments are converted to strings and joined with \
     spaces. Returns `undef`. The catalog does not change: use the resource type `notify` for a message on the node.",
    &[("alert('disk', 3, 'is full')", "alert: disk 3 is full"), ("alert('x')", "undef")]
);
level!(
    CRIT,
    "crit",
    Crit,
    "Writes a message to the server's log at level `crit`. The arguments are converted to strings and joined with \
     spaces. Returns `undef`.",
    &[("crit('no', 'space')", "crit: no space"), ("crit()", "undef")]
);
level!(
    DEBUG,
    "debug",
    Debug,
    "Writes a message to the server's log at level `debug`, which is shown only when debugging is on. The arguments are \
     converted to strings and joined with spaces. Returns `undef`.",
    &[("debug('details')", "undef"), ("debug({'a' => 1}, [2])", "undef")]
);
level!(
    EMERG,
    "emerg",
    Emerg,
    "Writes a message to the server's log at level `emerg`. The arguments are converted to strings and joined with \
     spaces. Returns `undef`.",
    &[("emerg('fire')", "emerg: fire"), ("emerg('fire')", "undef")]
);
level!(
    ERR,
    "err",
    Error,
    "Writes a message to the server's log at level `err`. Compilation continues; use `fail` to stop it. The arguments are \
     converted to strings and joined with spaces. Returns `undef`.",
    &[("err('bad', 1)", "err: bad 1"), ("err('bad')", "undef")]
);
level!(
    INFO,
    "info",
    Info,
    "Writes a message to the server's log at level `info`. The arguments are converted to strings and joined with \
     spaces. Returns `undef`.",
    &[("info('by the way')", "undef"), ("info('a', 'b')", "undef")]
);
level!(
    NOTICE,
    "notice",
    Notice,
    "Writes a message to the server's log at level `notice`. The arguments are converted to strings and joined with \
     spaces. Returns `undef`. The catalog does not change: use the resource type `notify` for a message on the node.",
    &[("notice('value is', [1, 2])", "notice: value is [1, 2]"), ("notice('x')", "undef")]
);
level!(
    WARNING,
    "warning",
    Warning,
    "Writes a message to the server's log at level `warning`. The arguments are converted to strings and joined with \
     spaces. Returns `undef`.",
    &[("warning('old', 'option')", "warning: old option"), ("warning('x')", "undef")]
);
