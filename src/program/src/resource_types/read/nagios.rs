//! The kinds of objects in the library `Nagios::Base`, from which the types of the module nagios_core are made.
//!
//! In: the calls in the library's own file that define a kind (`newtype`, `setparameters`, `setnamevar`), and those that query
//! one. Out: its name, parameters and key. Must not: know which kinds there are.

use std::collections::BTreeMap;

use super::call::Call;
use super::reader::Reader;
use super::reader::Scope;
use super::value::Value;

const BASE: &str = "Nagios::Base";

/// The kinds that were defined, by the last part of their constant.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    kinds: BTreeMap<String, Kind>,
    /// The kind whose block is being read.
    current: Option<String>,
}

#[derive(Debug)]
struct Kind {
    name: String,
    parameters: Vec<Value>,
    namevar: Option<Value>,
}

impl Kind {
    /// The result of a method of a kind (`Nagios::Base.namevar` and its readers).
    fn method_result(&self, method: &str) -> Value {
        let symbol = |name: &str| Value::Symbol(name.to_owned());
        match method {
            "name" => symbol(&self.name),
            "parameters" => Value::array(self.parameters.clone()),
            "namevar" => {
                let has = |name: &str| self.parameters.iter().any(|known| known.text() == Some(name));
                let name_parameter = format!("{}_name", self.name);
                match &self.namevar {
                    Some(given) => given.clone(),
                    None if has("name") => symbol("name"),
                    None if has(&name_parameter) => symbol(&name_parameter),
                    None => Value::Unknown,
                }
            }
            _ => Value::Unknown,
        }
    }
}

impl Reader<'_, '_> {
    /// A call without a receiver in the library's class; `None` if it does not define a kind.
    pub(super) fn define_nagios(&mut self, call: &Call<'_>, scope: &Scope) -> Option<Value> {
        if !matches!(call.name, "newtype" | "setparameters" | "setnamevar") || scope.modules.join("::") != BASE {
            return None;
        }
        if let ("newtype", Some(block)) = (call.name, &call.block) {
            let name = call.string(0)?.to_owned();
            let key = capitalized(&name);
            let kind = Kind { name, parameters: vec![Value::Symbol("use".to_owned())], namevar: None };
            self.nagios.kinds.insert(key.clone(), kind);
            let outer = self.nagios.current.replace(key);
            self.invoke(block, Vec::new(), None, scope.modules.clone(), false);
            self.nagios.current = outer;
            return Some(Value::Unknown);
        }
        let current = self.nagios.current.clone()?;
        let kind = self.nagios.kinds.get_mut(&current)?;
        match call.name {
            "setparameters" => kind.parameters.extend(call.arguments.iter().cloned()),
            _ => kind.namevar = call.arguments.first().cloned(),
        }
        Some(Value::Unknown)
    }

    /// A call of the library or of one of its kinds.
    pub(super) fn query_nagios(&self, path: &str, call: &Call<'_>) -> Option<Value> {
        if path == BASE && call.name == "type" {
            let key = capitalized(call.string(0)?);
            return Some(match self.nagios.kinds.contains_key(&key) {
                true => Value::Constant(format!("{BASE}::{key}")),
                false => Value::Nil,
            });
        }
        let kind = path.strip_prefix(BASE)?.strip_prefix("::")?;
        Some(self.nagios.kinds.get(kind)?.method_result(call.name))
    }
}

/// `String#capitalize`
fn capitalized(name: &str) -> String {
    let mut rest = name.chars();
    rest.next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(rest.flat_map(char::to_lowercase)).collect())
}
