//! `lookup`: a value from Hiera (docs: "Built-in function reference: lookup").

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_hiera::Answer;
use catwalk_hiera::Failure;
use catwalk_hiera::Request;
use catwalk_value::Hash;
use catwalk_value::Type;
use catwalk_value::Value;

/// `lookup`
pub(super) const FUNCTION: Function = Function {
    name: "lookup",
    signatures: &[
        ("NameType $name, ValueType $value_type = undef, MergeType $merge = undef", |call| {
            look_up(call, Default::None)
        }),
        (
            "NameType $name, Optional[ValueType] $value_type, Optional[MergeType] $merge, DefaultValueType $default_value",
            |call| look_up(call, Default::Argument),
        ),
        ("NameType $name, ValueType $value_type = undef, MergeType $merge = undef, BlockType &$block", |call| {
            look_up(call, Default::None)
        }),
        ("OptionsWithName $options_hash, Optional[BlockType] &$block", |call| look_up_with_options(call, 0)),
        (
            "Variant[String, Array[String]] $name, OptionsWithoutName $options_hash, Optional[BlockType] &$block",
            |call| look_up_with_options(call, 1),
        ),
    ],
    doc: "Looks up a key in Hiera: the global layer, the environment's data, then the data of the module that the \
          key's first part names. The arguments are the key (or several: the first found is used), the type of the \
          result, the merge behaviour (`first`, `unique`, `hash`, `deep` or a hash of options) and a default; or one \
          hash of options with these names, `override` and `default_values_hash`. A block receives the key when \
          nothing is found. A dotted key selects inside a value. Without a default, a missing key is an error.",
    examples: &[
        ("lookup('example::greeting')", "'hello'"),
        ("lookup('example::ports.1')", "443"),
        ("lookup('nothing', Integer, 'first', 7)", "7"),
        ("lookup({'name' => 'nothing', 'default_value' => []})", "[]"),
        ("lookup('nothing')", "error: Function lookup() did not find a value for the name 'nothing'"),
    ],
};

enum Default {
    None,
    Argument,
}

fn look_up(call: &mut Call<'_, '_>, default: Default) -> Res<Value> {
    let default = match default {
        Default::None => None,
        Default::Argument => Some(call.arg(3).clone()),
    };
    let (name, merge) = (call.arg(0).clone(), call.arg(2).clone());
    let value_type = call.arg(1).clone();
    LookupArguments { name, value_type, merge, default, overrides: None, defaults: None }.find(call)
}

fn look_up_with_options(call: &mut Call<'_, '_>, at: usize) -> Res<Value> {
    let Value::Hash(options) = call.arg(at).clone() else { return Err(Stop::runtime("lookup() needs a hash")) };
    let get = |key: &str| options.get(key).cloned().unwrap_or(Value::Undef);
    let hash = |key: &str| match options.get(key) {
        Some(Value::Hash(hash)) => Some(hash.as_ref().clone()),
        _ => None,
    };
    let arguments = LookupArguments {
        name: if at == 0 { get("name") } else { call.arg(0).clone() },
        value_type: get("value_type"),
        merge: get("merge"),
        default: options.get("default_value").cloned(),
        overrides: hash("override"),
        defaults: hash("default_values_hash"),
    };
    arguments.find(call)
}

struct LookupArguments {
    name: Value,
    value_type: Value,
    merge: Value,
    default: Option<Value>,
    overrides: Option<Hash>,
    defaults: Option<Hash>,
}

impl LookupArguments {
    fn find(self, call: &mut Call<'_, '_>) -> Res<Value> {
        let string = |name: &Value| name.as_str().map(str::to_owned);
        let names: Vec<String> = match &self.name {
            Value::Array(names) => names.iter().filter_map(string).collect(),
            name => string(name).into_iter().collect(),
        };
        let request = Request {
            names: &names,
            merge: &self.merge,
            overrides: self.overrides.as_ref(),
            defaults: self.defaults.as_ref(),
            hiera_call: false,
            extra_paths: &[],
        };
        let span = call.span;
        if let Answer::Found { value, subject } = call.ev.lookup(&request, span)? {
            let is_secret = matches!(value, Value::Sensitive(_));
            return self.checked(value, &subject).map_err(|stop| self.with_origins(call, &names, is_secret, stop));
        }
        if call.block.is_some() {
            let value = call.call_block(std::slice::from_ref(&self.name))?;
            return self.checked(value, "Value returned from default block");
        }
        match self.default.clone() {
            Some(value) => self.checked(value, "Default value"),
            None => Err(catwalk_eval::lookup_stop(call.ev, Failure::no_value(&names), Some(span))),
        }
    }

    /// Adds the positions in data files from which a value of the wrong type comes.
    fn with_origins(&self, call: &mut Call<'_, '_>, names: &[String], is_secret: bool, stop: Stop) -> Stop {
        let Stop::Reason(mut reason) = stop else { return stop };
        let is_given = |name: &String| {
            [&self.overrides, &self.defaults].into_iter().flatten().any(|hash| hash.get(name).is_some())
        };
        let is_secret = is_secret || matches!(&self.value_type, Value::Type(t) if catwalk_value::mentions_sensitive(t));
        let names = names.iter().take_while(|name| !is_given(name));
        let mut origins = names.map(|name| call.ev.data_origins(name, is_secret));
        reason.locations.extend(origins.find(|origins| !origins.is_empty()).unwrap_or_default());
        Stop::Reason(reason)
    }

    /// Returns the value if it is of the requested type.
    fn checked(&self, value: Value, subject: &str) -> Res<Value> {
        match &self.value_type {
            Value::Type(t) if !catwalk_value::is_instance(t, &value) || matches!(t.resolved(), Type::Init(_)) => {
                catwalk_value::mismatch::assert_instance(subject, t, &value)
                    .map(|()| value)
                    .map_err(|reason| Stop::runtime(reason.message))
            }
            _ => Ok(value),
        }
    }
}
