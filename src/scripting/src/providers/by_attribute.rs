//! Providers that change attributes one by one: functions `get(context, names, declared)`, `insync`, `change`, `flush`, `refresh`.

use std::sync::Arc;

use rhai::Dynamic;

use super::RhaiProvider;
use super::to_script;
use crate::bridge;
use crate::bridge::HashHandle;
use catwalk_resource_api::AttributeChange;
use catwalk_resource_api::AttributeProvider;
use catwalk_resource_api::Change;
use catwalk_resource_api::Comparison;
use catwalk_resource_api::Context;
use catwalk_resource_api::Difference;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Provider;
use catwalk_resource_api::State;
use catwalk_value::Hash;
use catwalk_value::Value;

impl AttributeProvider for RhaiProvider {
    fn read(&mut self, context: &mut Context<'_>, name: &Value, declared: &State) -> Result<Vec<State>, Failure> {
        let mut args = vec![Dynamic::from_array(vec![bridge::to_dynamic(name)])];
        if self.functions.has("get", 3) {
            let mut resources = Hash::new();
            resources.insert(name.clone(), Value::hash(declared.to_hash()));
            args.push(Dynamic::from(HashHandle(Arc::new(resources))));
        } else if !self.functions.has("get", 2) {
            args.clear();
        }
        let returned = self.call(context, "get", args)?;
        self.rows("get", returned, &context.definition, &[])
    }

    fn compare(&mut self, context: &mut Context<'_>, change: &AttributeChange<'_>) -> Result<Comparison, Failure> {
        if !self.functions.has("insync", 5) {
            return Ok(Comparison::Undecided);
        }
        let returned = self.call(context, "insync", arguments(change))?;
        read_comparison(returned).map_err(|failure| self.at_function(failure, "insync"))
    }

    fn sync(&mut self, context: &mut Context<'_>, change: &AttributeChange<'_>) -> Result<(), Failure> {
        if !self.functions.has("change", 5) {
            return Ok(());
        }
        self.call(context, "change", arguments(change)).map(drop)
    }

    fn flush(&mut self, context: &mut Context<'_>, name: &Value, is: &State, should: &State) -> Result<(), Failure> {
        if !self.functions.has("flush", 4) {
            if self.functions.has("change", 5) {
                return Ok(());
            }
            let change = Change { name: name.clone(), is: Some(is.clone()), should: Some(should.clone()) };
            self.set(context, &[change], false)?;
            return if context.take_failed() { Err(Failure::new("Execution encountered an error")) } else { Ok(()) };
        }
        self.call(context, "flush", vec![bridge::to_dynamic(name), to_script(is), to_script(should)]).map(drop)
    }

    fn is_refreshable(&self) -> bool {
        self.functions.has("refresh", 4)
    }

    fn refresh(
        &mut self,
        context: &mut Context<'_>,
        name: &Value,
        is: &State,
        should: &State,
    ) -> Result<bool, Failure> {
        let args = vec![bridge::to_dynamic(name), to_script(is), to_script(should)];
        let returned = self.call(context, "refresh", args)?;
        returned.as_bool().map_err(|kind| {
            self.at_function(Failure::new(format!("refresh() must return true or false, got {kind}")), "refresh")
        })
    }
}

fn arguments(change: &AttributeChange<'_>) -> Vec<Dynamic> {
    let attribute = Dynamic::from(change.attribute.to_string());
    vec![bridge::to_dynamic(change.name), attribute, to_script(change.is), to_script(change.should)]
}

/// Reads the result of `insync`: true, false, `()` for the usual comparison, or a map that describes the difference; also an array
/// of false and a message, as in Ruby providers.
fn read_comparison(returned: Dynamic) -> Result<Comparison, Failure> {
    let invalid =
        |kind: &str| Failure::new(format!("insync() must return true, false, () or a map of messages, got {kind}"));
    let value = bridge::from_dynamic(returned).map_err(|why| Failure::new(format!("insync(): {why}")))?;
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    match &value {
        Value::Undef => Ok(Comparison::Undecided),
        Value::Bool(true) => Ok(Comparison::InSync),
        Value::Bool(false) => Ok(Comparison::Differs(Difference::default())),
        Value::Array(pair) => match (pair.first(), pair.get(1)) {
            (Some(Value::Bool(true)), _) => Ok(Comparison::InSync),
            (Some(Value::Bool(false)), message) => {
                Ok(Comparison::Differs(Difference { message: text(message), ..Difference::default() }))
            }
            _ => Err(invalid("an array")),
        },
        Value::Hash(difference) => Ok(Comparison::Differs(Difference {
            message: text(difference.get("message")),
            current: text(difference.get("is")),
            desired: text(difference.get("should")),
        })),
        _ => Err(invalid("another value")),
    }
}
