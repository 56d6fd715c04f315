//! The functions `template` and `inline_template`.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use crate::PuppetInterp;
use crate::PuppetProgram;
use crate::failures::to_stop;
use crate::scope;
use catwalk_base::diag::Cause;
use catwalk_base::diag::Reason;
use catwalk_base::source::Span;
use catwalk_eval::Evaluator;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_ruby::Flow;
use catwalk_ruby::Instance;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::parser::ParseError;

/// A parsed template.
pub(crate) type Template = Result<Node, ParseError>;

/// Renders a template file; `name` is its name in the manifest.
///
/// # Errors
///
/// `Failed to parse template name:` with file, line and reason; `not supported yet: …`.
pub(crate) fn render(ev: &mut Evaluator<'_>, span: Span, name: &str, path: &Path, template: &Template) -> Res<String> {
    let file = path.to_string_lossy();
    let failed = |raised_in: &str, line: u32, detail: &str| {
        let message =
            format!("Failed to parse template {name}:\n  Filepath: {raised_in}\n  Line: {line}\n  Detail: {detail}\n");
        Reason::runtime(message).because(Cause::BrokenTemplate).into()
    };
    run(ev, span, &file, None, template, failed)
}

/// Renders a template from a string.
///
/// # Errors
///
/// `Failed to parse inline template: …`; `not supported yet: …`.
pub(crate) fn render_inline(ev: &mut Evaluator<'_>, span: Span, source: &Arc<str>, template: &Template) -> Res<String> {
    let failed = |_: &str, _: u32, detail: &str| Stop::runtime(format!("Failed to parse inline template: {detail}"));
    run(ev, span, "(erb)", Some(source), template, failed)
}

/// `wrapper.file = name`: the template that `result` renders.
pub(crate) fn set_file(rt: &mut PuppetInterp<'_, '_>, object: &Rc<Instance>, name: &Rv) -> Raise<Rv> {
    let name = rt.ruby().expect_str(name)?;
    let Some(path) = rt.host.ev.program.environment.template_file(&name, false, rt.host.ev.world) else {
        return rt.ruby().raise("Puppet::ParseError", format!("Could not find template '{name}'"));
    };
    object.ivars.borrow_mut().insert(catwalk_base::name!("__file__"), Rv::str(path.to_string_lossy()));
    Ok(Rv::str(name))
}

/// `wrapper.result`, `wrapper.result(text)`: the output of the template, with the wrapper as `self`.
pub(crate) fn render_wrapper(
    rt: &mut PuppetInterp<'_, '_>,
    this: &Rv,
    object: &Rc<Instance>,
    source: Option<&Rv>,
) -> Raise<Rv> {
    let file = object.ivars.borrow().get(&catwalk_base::name!("__file__")).and_then(Rv::string_or_symbol);
    let (template, file) = match (source, file) {
        (None | Some(Rv::Nil), Some(file)) => match rt.host.ev.program.erb(Path::new(&file)) {
            Ok(template) => (template, file),
            Err(failure) => return rt.raise_failure(failure.into()),
        },
        (Some(source), _) if !source.is_nil() => {
            let source = rt.ruby().expect_str(source)?;
            (rt.host.ev.program.erb_string(&source), "(erb)".to_owned())
        }
        _ => return rt.ruby().raise("TypeError", "no implicit conversion of nil into String"),
    };
    run_nested(rt, this, &template, &file)
}

/// `ERB.new(text).result(binding)`
pub(crate) fn render_erb(rt: &mut PuppetInterp<'_, '_>, source: &Rv, binding: &Rv) -> Raise<Rv> {
    let source = rt.ruby().expect_str(source)?;
    let template = rt.host.ev.program.erb_string(&source);
    let (this, locals) = match binding {
        Rv::Hash(locals) => (scope::template_self(), Some(locals.clone())),
        Rv::Nil => (scope::template_self(), None),
        this => (this.clone(), None),
    };
    if let (Some(locals), Rv::Object(object)) = (locals, &this) {
        // `result_with_hash`: the entries become local variables.
        for (name, value) in locals.map.borrow().iter() {
            let name = catwalk_base::names::Name::new(&name.0.string_or_symbol().unwrap_or_default());
            object.ivars.borrow_mut().insert(name, value.clone());
        }
        let Some(class) = rt.ruby().ensure_singleton_class(&this) else { return Ok(Rv::Nil) };
        let names: Vec<Rv> = locals.map.borrow().keys().map(|name| name.0.clone()).collect();
        rt.ruby().define_accessors("attr_reader", &names, class)?;
    }
    run_nested(rt, &this, &template, "(erb)")
}

/// Runs a template inside a program; its output is separate from the program's.
fn run_nested(rt: &mut PuppetInterp<'_, '_>, this: &Rv, template: &Template, file: &str) -> Raise<Rv> {
    let node = match template {
        Ok(node) => node,
        Err(error) if error.is_unsupported => return rt.ruby().unsupported(&error.message),
        Err(error) => return rt.ruby().raise("SyntaxError", format!("{file}:{}: {}", error.line, error.message)),
    };
    let frame = rt.ruby().top_frame(this.clone());
    let outer = (std::mem::replace(&mut rt.file, Rc::from(file)), rt.line, std::mem::take(&mut rt.out));
    let ended = rt.ruby().eval_in(node, &frame);
    let written;
    (rt.file, rt.line, written) = (outer.0, outer.1, std::mem::replace(&mut rt.out, outer.2));
    ended?;
    Ok(Rv::str(written))
}

fn run(
    ev: &mut Evaluator<'_>,
    span: Span,
    file: &str,
    source: Option<&Arc<str>>,
    template: &Template,
    failed: impl Fn(&str, u32, &str) -> Stop,
) -> Res<String> {
    let node = match template {
        Ok(node) => node,
        Err(error) if error.is_unsupported => {
            let feature = format!("{} ({file}:{})", error.message, error.line);
            return Err(catwalk_base::diag::Reason::unsupported(&feature).into());
        }
        Err(error) => return Err(failed(file, error.line, &error.message)),
    };
    let mut program = PuppetProgram::new(ev, span, file);
    let mut rt = program.interp();
    rt.host.own.source = source.cloned();
    rt.load_catalog_methods();
    let this = scope::template_self();
    let frame = rt.ruby().top_frame(this);
    let result = rt.ruby().eval_in(node, &frame);
    rt.ruby().write_back();
    let flow = match result {
        Ok(_) => return Ok(std::mem::take(&mut rt.out)),
        Err(thrown) => rt.ruby().catch(thrown),
    };
    match flow {
        // `return` ends the template; its value is the output.
        Flow::Return(_, value) => match rt.ruby().to_s(&value) {
            Ok(output) => Ok(output),
            Err(_) => Err(failed(file, rt.line, "return")),
        },
        Flow::Raise(exception) if rt.ruby().inherits_from(exception.class, "ScriptError") => {
            let thrown = rt.ruby().throw(Flow::Raise(exception));
            Err(rt.convert_thrown(thrown))
        }
        Flow::Raise(exception) => {
            let (raised_in, line) = (exception.file.borrow().clone(), exception.line.get());
            let message = exception.message.borrow().clone();
            let detail = rt.ruby().to_s(&message).unwrap_or_default();
            Err(failed(&raised_in, line, &detail))
        }
        Flow::Stop(failure) => Err(to_stop(failure)),
        Flow::Throw(tag, _) => {
            let tag = rt.ruby().inspect(&tag).unwrap_or_default();
            Err(failed(file, rt.line, &format!("uncaught throw {tag}")))
        }
        Flow::Break(..) => Err(failed(file, rt.line, "break from proc-closure")),
        Flow::Next(_) | Flow::Retry | Flow::Redo => Err(failed(file, rt.line, "unexpected jump")),
    }
}
