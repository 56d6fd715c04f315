//! The functions `template` and `inline_template`.

use std::path::Path;

use super::Flow;
use super::Interp;
use crate::eval::Evaluator;
use crate::eval::Res;
use crate::eval::Stop;
use crate::ruby::ast::Node;
use crate::ruby::parser::ParseError;
use crate::source::Span;

/// A parsed template.
pub(crate) type Template = Result<Node, ParseError>;

/// Renders a template file; `name` is what the manifest calls it.
///
/// # Errors
/// `Failed to parse template name:` with file, line and reason; `not supported yet: …`.
pub fn render(ev: &mut Evaluator<'_>, span: Span, name: &str, path: &Path, template: &Template) -> Res<String> {
    let file = path.to_string_lossy();
    let failed = |line: u32, detail: &str| {
        let text =
            format!("Failed to parse template {name}:\n  Filepath: {file}\n  Line: {line}\n  Detail: {detail}\n");
        Stop::runtime(text)
    };
    run(ev, span, &file, template, failed)
}

/// Renders a template given as text.
///
/// # Errors
/// `Failed to parse inline template: …`; `not supported yet: …`.
pub fn inline(ev: &mut Evaluator<'_>, span: Span, template: &Template) -> Res<String> {
    run(ev, span, "(erb)", template, |_, detail| Stop::runtime(format!("Failed to parse inline template: {detail}")))
}

fn run(
    ev: &mut Evaluator<'_>,
    span: Span,
    file: &str,
    template: &Template,
    failed: impl Fn(u32, &str) -> Stop,
) -> Res<String> {
    let node = match template {
        Ok(node) => node,
        Err(error) => {
            if let Some(what) = error.message.strip_prefix("not supported yet: ") {
                let what = format!("{what} ({file}:{})", error.line);
                return Err(crate::diag::Reason::unsupported(&what).into());
            }
            return Err(failed(error.line, &error.message));
        }
    };
    let mut rt = Interp::new(ev, span, file);
    let this = Interp::template_self();
    let frame = rt.top_frame(this);
    let result = rt.eval_in(node, &frame);
    rt.write_back();
    let flow = match result {
        Ok(_) => return Ok(std::mem::take(&mut rt.out)),
        Err(flow) => *flow,
    };
    match flow {
        // `return` leaves the template; what it gives is the text.
        Flow::Return(_, value) => match rt.to_s(&value) {
            Ok(text) => Ok(text),
            Err(_) => Err(failed(rt.line, "return")),
        },
        Flow::Raise(exception) => {
            let line = exception.line.get();
            let message = exception.message.borrow().clone();
            let detail = rt.to_s(&message).unwrap_or_default();
            Err(failed(line, &detail))
        }
        Flow::Stop(stop) => Err(stop),
        Flow::Throw(tag, _) => {
            let tag = rt.inspect(&tag).unwrap_or_default();
            Err(failed(rt.line, &format!("uncaught throw {tag}")))
        }
        Flow::Break(..) => Err(failed(rt.line, "break from proc-closure")),
        Flow::Next(_) | Flow::Retry => Err(failed(rt.line, "unexpected jump")),
    }
}
