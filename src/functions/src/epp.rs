//! `epp` and `inline_epp`: templates in the Puppet language.

use std::path::PathBuf;

use crate::Function;
use catwalk_base::diag::Cause;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Value;
use catwalk_world::Kind;

/// `epp`
pub(super) const EPP: Function = Function {
    name: "epp",
    signatures: &[(
        "String $path, Hash[Pattern[/^\\w+$/], Any] $parameters = {} >> Variant[String, Sensitive[String]]",
        epp,
    )],
    doc: "Renders an EPP template from a file: `<module>/<file>` in the module's folder `templates`, or an absolute \
          path. The hash holds the template's parameters. A template that declares parameters sees only those and \
          global variables; the result is Sensitive if a Sensitive value was printed.",
    examples: &[
        ("epp('example/hello.epp', {'name' => 'World'})", "\"Hello World\\n\""),
        ("epp('example/hello.epp')", "error: expects a value for parameter 'name'"),
    ],
};

/// A syntax error with its position; Puppet reports no line after the last token.
fn syntax_error(diagnostic: &Diagnostic, call: &Call<'_, '_>) -> String {
    let sources = &call.ev.program.sources;
    match diagnostic.span.and_then(|span| sources.locate(span)) {
        Some((source, ..)) if diagnostic.cause == Cause::EndOfInput => {
            format!("{} (file: {})", diagnostic.message, source.name)
        }
        _ => diagnostic.puppet_text(sources),
    }
}

fn epp(call: &mut Call<'_, '_>) -> Res<Value> {
    let mut name = call.str(0).to_owned();
    let absolute = name.starts_with('/');
    // Puppet first looks for a file of this name, also without the suffix.
    let exists = absolute && call.ev.world.kind(&PathBuf::from(&name)) != Kind::Missing;
    if !exists && !name.ends_with(".epp") {
        name.push_str(".epp");
    }
    let path = call.ev.program.environment.file_in_module("templates", &name);
    let Some(path) = path.filter(|path| call.ev.world.kind(path) != Kind::Missing) else {
        return Err(Reason::runtime(format!("Could not find template '{name}'")).because(Cause::NoTemplate).into());
    };
    if call.ev.world.kind(&path) == Kind::Directory {
        return call.fail(format!("Is a directory @ io_fread - {}", path.display()));
    }
    let program = call.ev.program;
    let file = match program.epp(&path) {
        Ok(file) => file,
        Err(diagnostic) => return invalid("epp", *diagnostic, call),
    };
    let args = call.hash(1);
    call.ev.render_template("epp", file, args, true)
}

/// Fails for a template that cannot be parsed. Each of several errors is logged; errors of Ruby itself are not errors of the template.
fn invalid(name: &str, mut diagnostic: Diagnostic, call: &mut Call<'_, '_>) -> Res<Value> {
    call.ev.logs.append(&mut diagnostic.summarized);
    if matches!(diagnostic.code, Code::RUNTIME_ERROR | Code::REGEXP_ERROR) {
        return call.fail(diagnostic.message);
    }
    call.fail(format!("{name}(): Invalid EPP: {}", syntax_error(&diagnostic, call)))
}

/// `inline_epp`
pub(super) const INLINE_EPP: Function = Function {
    name: "inline_epp",
    signatures: &[(
        "String $template, Hash[Pattern[/^\\w+$/], Any] $parameters = {} >> Variant[String, Sensitive[String]]",
        inline_epp,
    )],
    doc: "Renders an EPP template given as a string. The hash holds the template's parameters; without declared \
          parameters and without a hash, the template sees all variables of the calling scope.",
    examples: &[
        ("inline_epp('a<%= 1 + 1 %>b')", "'a2b'"),
        ("inline_epp('<%- | $x | -%>[<%= $x %>]', {x => 1})", "'[1]'"),
        ("$name_ = 'World'\ninline_epp('Hello <%= $name_ %>')", "'Hello World'"),
    ],
};

fn inline_epp(call: &mut Call<'_, '_>) -> Res<Value> {
    let program = call.ev.program;
    let file = match program.epp_string(call.str(0)) {
        Ok(file) => file,
        Err(diagnostic) => return invalid("inline_epp", *diagnostic, call),
    };
    let args = call.hash(1);
    call.ev.render_template("inline_epp", file, args, false)
}
