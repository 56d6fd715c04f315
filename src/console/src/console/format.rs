//! Output formats of values.

use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::Redacted;
use catwalk_base::secrets::Secrets;
use catwalk_value::Value;
use catwalk_value::json;
use catwalk_value::printing::to_indented_program;
use catwalk_value::rich;
use catwalk_value::rich::Mode;
use catwalk_value::secret;
use catwalk_value::to_program;

/// Output formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// Puppet source (`%p` of string formats).
    #[default]
    Puppet,
    /// JSON; only values of type `Data` can be written.
    Json,
    /// Rich data: JSON in which `__ptype` names the types that JSON lacks.
    Rich,
}

/// The maximum width of a line before a collection is broken into several.
const WIDTH: usize = 100;

impl Format {
    /// Formats a value. With `secrets`, these are replaced by tokens; with `None`, the value is printed in clear text.
    ///
    /// # Errors
    /// The value cannot be written in this format.
    pub fn write(self, value: &Value, secrets: Option<&Secrets>) -> Result<String, Reason> {
        let written = |mode: Mode| {
            let mut document = rich::to_json(value, mode).map_err(Reason::runtime)?;
            if let Some(secrets) = secrets {
                document = Redacted::new(document, secrets).into_inner();
            }
            json::pretty(&document).map_err(Reason::runtime)
        };
        match self {
            Format::Puppet => Ok(match secrets {
                Some(secrets) => secrets.redact(&to_program(&secret::redacted(value, secrets))).into_owned(),
                None => to_program(value),
            }),
            Format::Rich => written(Mode::RICH),
            Format::Json => {
                let hidden = |reason: Reason| match secrets.and_then(|secrets| secrets.replace(&reason.message)) {
                    Some(message) => Reason { message: message.into(), ..reason },
                    None => reason,
                };
                check_data(value).map_err(|not_data| hidden(not_data.into()))?;
                written(Mode::RICH)
            }
        }
    }

    /// Prints a value for a reader at a terminal: long collections are broken into lines.
    ///
    /// # Errors
    /// The value cannot be written in this format.
    pub fn show(self, value: &Value, secrets: Option<&Secrets>) -> Result<String, Reason> {
        let text = self.write(value, secrets)?;
        match value {
            Value::Array(_) | Value::Hash(_) if self == Format::Puppet && text.chars().count() > WIDTH => {
                let redacted = secrets.map_or_else(|| value.clone(), |secrets| secret::redacted(value, secrets));
                let text = to_indented_program(&redacted, 0).trim_start().to_owned();
                Ok(secrets.map_or(text.clone(), |secrets| secrets.redact(&text).into_owned()))
            }
            _ => Ok(text),
        }
    }
}

/// A value that is not of type `Data`: the reason, and its path, innermost step first.
struct NotData {
    reason: String,
    path: Vec<String>,
}

impl From<NotData> for Reason {
    fn from(mut not_data: NotData) -> Reason {
        not_data.path.reverse();
        let at = if not_data.path.is_empty() { String::new() } else { format!(" at {}", not_data.path.concat()) };
        let text = format!("the value{at} cannot be written as JSON: {}", not_data.reason);
        Reason::new(Code::NOT_DATA, text).help("--format rich writes all values, --format puppet as Puppet source")
    }
}

fn check_data(value: &Value) -> Result<(), NotData> {
    let not_data = |reason: String| NotData { reason, path: Vec::new() };
    let with_step = |step: String, mut not_data: NotData| {
        not_data.path.push(step);
        not_data
    };
    match value {
        Value::Undef | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Str(_) => Ok(()),
        Value::Float(number) if number.is_finite() => Ok(()),
        Value::Float(number) => Err(not_data(format!("JSON has no {number}"))),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .try_for_each(|(at, item)| check_data(item).map_err(|error| with_step(format!("[{at}]"), error))),
        Value::Hash(entries) => entries.iter().try_for_each(|(key, item)| match key {
            Value::Str(name) => check_data(item).map_err(|error| with_step(format!("['{name}']"), error)),
            other => Err(not_data(format!("the key {} is no String", to_program(other)))),
        }),
        other => Err(not_data(format!("{} is not Data", catwalk_value::infer(other)))),
    }
}
