//! `template`, `inline_template`: ERB.

use std::path::Path;

use crate::Function;
use catwalk_base::diag::Cause;
use catwalk_base::diag::Reason;
use catwalk_base::profile;
use catwalk_eval::Call;
use catwalk_eval::ErbTemplate;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_value::Value;
use catwalk_value::ruby;
use catwalk_world::Kind;

pub(super) const TEMPLATE: Function = Function {
    name: "template",
    signatures: &[("Any *$files", template)],
    doc: "Renders ERB templates from files and joins their outputs. Names are absolute paths or `<module>/<file>`, \
          which is searched for in the module's folder `templates`. Variables of the calling scope are Ruby instance \
          variables (`@name`); others are available as `scope['a::b']`.",
    examples: &[
        ("$who = 'World'\ntemplate('example/hello.erb')", "\"Hello World\\n\""),
        ("template('example/missing.erb')", "error: Could not find template 'example/missing.erb'"),
    ],
};

pub(super) const INLINE_TEMPLATE: Function = Function {
    name: "inline_template",
    signatures: &[("Any *$templates", inline_template)],
    doc: "Renders ERB templates given as strings and joins their outputs. Variables of the calling scope are Ruby \
          instance variables (`@name`); others are available as `scope['a::b']`.",
    examples: &[
        ("inline_template('a<%= 1 + 1 %>b', '<%= [3].map { |x| x * 2 }.join %>')", "'a2b6'"),
        ("$who = 'World'\ninline_template('Hello <%= @who %>')", "'Hello World'"),
    ],
};

fn template(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::at_least(call, 1)?;
    let mut out = String::new();
    for arg in args.iter() {
        let name = runtime3::file_name(call, arg)?;
        let program = call.ev.program;
        let path = program.environment.file_in_module("templates", name);
        let path = path.map(|path| (call.ev.world.kind(&path), path));
        let path = match path {
            Some((Kind::File, path)) => path,
            Some((Kind::Directory, path)) => return Err(read_error(&path, "Is a directory @ io_fread").into()),
            // A missing absolute path is reported only when it is read.
            Some((Kind::Missing, path)) if name.starts_with('/') => {
                return Err(read_error(&path, "No such file or directory @ rb_sysopen").into());
            }
            _ => {
                let text = format!("Could not find template '{name}'");
                return Err(Reason::runtime(text).because(Cause::NoTemplate).into());
            }
        };
        let template = match program.erb(&path) {
            Ok(template) => template,
            Err(diagnostic) => return call.fail(diagnostic.message.into_owned()),
        };
        let file = ErbTemplate::File { name, path: &path, tree: &template };
        let _step = profile::enter_with(profile::Kind::Template, || path.to_string_lossy().into_owned());
        profile::set_file(|| Some(path.to_string_lossy()));
        out.push_str(&call.ev.library.ruby.render(call.ev, &file, call.span)?);
    }
    Ok(Value::from(out))
}

/// The error for a template that cannot be read, in the format in which `template` reports a Ruby exception: with the position at
/// which it was raised.
fn read_error(path: &Path, reason: &str) -> Reason {
    let path = path.display();
    let text = format!(
        "Failed to parse template {path}:\n  Filepath: /usr/lib/ruby/vendor_ruby/puppet/file_system/file_impl.rb\n  Line: \
         83\n  Detail: {reason} - {path}\n"
    );
    Reason::runtime(text).because(Cause::BrokenTemplate)
}

fn inline_template(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::at_least(call, 1)?;
    let mut out = String::new();
    for arg in args.iter() {
        let Value::Str(string) = arg else {
            let why = format!("undefined method `encoding' for {}", ruby::receiver(arg));
            return call.fail(format!("Failed to parse inline template: {why}"));
        };
        let template = call.ev.program.erb_string(string);
        let inline = ErbTemplate::Inline { text: string.characters(), tree: &template };
        let _step = profile::enter(profile::Kind::Template, "inline_template");
        out.push_str(&call.ev.library.ruby.render(call.ev, &inline, call.span)?);
    }
    Ok(Value::from(out))
}
