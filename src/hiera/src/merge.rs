//! Merge strategies: first, unique, hash, deep and the variants for Hiera 3 (Puppet::Pops::MergeStrategy).

use std::sync::Arc;
use std::sync::LazyLock;

use indexmap::IndexSet;

use super::Host;
use super::failure::Failure;
use crate::deep;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::ruby;

/// A merge strategy with its options.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Strategy {
    pub(super) kind: StrategyKind,
    /// The options as the user wrote them, including `strategy`; may be empty.
    pub(super) options: Arc<Hash>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StrategyKind {
    /// The first, by default.
    Default,
    First,
    Unique,
    Hash,
    Deep,
    UnconstrainedDeep,
    ReverseDeep,
}

impl StrategyKind {
    /// Its name in options.
    pub(super) fn name(self) -> &'static str {
        match self {
            StrategyKind::Default => "default",
            StrategyKind::First => "first",
            StrategyKind::Unique => "unique",
            StrategyKind::Hash => "hash",
            StrategyKind::Deep => "deep",
            StrategyKind::UnconstrainedDeep => "unconstrained_deep",
            StrategyKind::ReverseDeep => "reverse_deep",
        }
    }

    fn from_name(name: &str) -> Option<StrategyKind> {
        use StrategyKind as K;
        let all = [K::Default, K::First, K::Unique, K::Hash, K::Deep, K::UnconstrainedDeep, K::ReverseDeep];
        all.into_iter().find(|kind| kind.name() == name)
    }
}

/// Most strategies have no options: they share one hash.
fn no_options() -> Arc<Hash> {
    static NONE: LazyLock<Arc<Hash>> = LazyLock::new(Arc::default);
    NONE.clone()
}

impl Strategy {
    /// A strategy without options.
    pub(super) fn plain(kind: StrategyKind) -> Strategy {
        Strategy { kind, options: no_options() }
    }

    /// The strategy of a `merge` argument.
    ///
    /// # Errors
    /// Unknown strategies and options.
    pub(super) fn parse(merge: &Value, host: &mut dyn Host) -> Result<Strategy, Failure> {
        let (name, options) = match merge {
            Value::Undef | Value::Bool(false) => return Ok(Strategy::plain(StrategyKind::Default)),
            Value::Hash(hash) => {
                let name = hash.get("strategy").filter(|name| !name.is_undef()).ok_or_else(|| {
                    Failure::ruby(
                        "The hash given as 'merge' must contain the name of a strategy in string form for the key 'strategy'",
                    )
                })?;
                (name, if hash.len() == 1 { no_options() } else { hash.clone() })
            }
            name => (name, no_options()),
        };
        let kind = name.as_str().and_then(StrategyKind::from_name);
        let kind = kind.ok_or_else(|| Failure::ruby(format!("Unknown merge strategy: '{}'", ruby::to_s(name))))?;
        if !are_valid_options(kind, &options) {
            let value = Value::Hash(options);
            let message = host.describe_mismatch("The merge options", &options_type(kind), &value);
            return Err(Failure::puppet(message));
        }
        Ok(Strategy { kind, options })
    }

    /// Whether a lookup ends at the first value.
    pub(super) fn uses_first_only(&self) -> bool {
        matches!(self.kind, StrategyKind::Default | StrategyKind::First)
    }

    /// Applies the strategy to the only value that was found.
    pub(super) fn apply_to_single(&self, value: Value) -> Value {
        match &value {
            Value::Array(items) if self.kind == StrategyKind::Unique => {
                let set: IndexSet<&Value> = items.iter().collect();
                if set.len() == items.len() { value } else { Value::array(set.into_iter().cloned().collect()) }
            }
            _ => value,
        }
    }

    /// Converts the first of several values before others are merged into it.
    pub(super) fn convert(&self, value: Value) -> Value {
        if self.kind == StrategyKind::Unique { Value::array(flatten(&value)) } else { value }
    }

    /// Whether the strategy can merge a value.
    pub(super) fn can_merge(&self, value: &Value) -> bool {
        match self.kind {
            StrategyKind::Hash => matches!(value, Value::Hash(_)) && is_data(value),
            StrategyKind::Unique => matches!(value, Value::Array(_)) && is_data(value) || is_scalar(value),
            _ => true,
        }
    }

    /// Merges a value of lower priority into the value merged so far.
    ///
    /// # Errors
    ///
    /// The strategy cannot merge the values.
    pub(super) fn merge(&self, high: Value, low: Value, host: &mut dyn Host) -> Result<Value, Failure> {
        let subjects = [("The first element of the merge", &high), ("The second element of the merge", &low)];
        if let Some((subject, value)) = subjects.into_iter().find(|(_, value)| !self.can_merge(value)) {
            let expected = match self.kind {
                StrategyKind::Hash => "Hash[String, Data]",
                _ => "Variant[Scalar, Array[Data]]",
            };
            return Err(Failure::puppet(host.describe_mismatch(subject, expected, value)));
        }
        Ok(match (self.kind, &high, &low) {
            (StrategyKind::Hash, Value::Hash(high), Value::Hash(low)) => {
                let mut merged = Hash::with_capacity(high.len() + low.len());
                for (key, value) in low.iter().chain(high.iter()) {
                    merged.insert(key.clone(), value.clone());
                }
                Value::hash(merged)
            }
            (StrategyKind::Unique, _, _) => {
                let all: IndexSet<Value> = flatten(&high).into_iter().chain(flatten(&low)).collect();
                Value::array(all.into_iter().collect())
            }
            (StrategyKind::Deep | StrategyKind::UnconstrainedDeep, _, _) => deep::merge(&high, &low, &self.options)?,
            (StrategyKind::ReverseDeep, _, _) => deep::merge(&low, &high, &self.options)?,
            _ => high,
        })
    }
}

/// The elements of an array and of the arrays in it; any other value is the only element.
pub(super) fn flatten(value: &Value) -> Vec<Value> {
    fn add(items: &[Value], out: &mut Vec<Value>) {
        for item in items {
            match item {
                Value::Array(inner) => add(inner, out),
                other => out.push(other.clone()),
            }
        }
    }
    let mut out = Vec::new();
    match value {
        Value::Array(items) => add(items, &mut out),
        other => out.push(other.clone()),
    }
    out
}

/// Whether a value is of type `Data`.
pub(super) fn is_data(value: &Value) -> bool {
    match value {
        Value::Undef | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Str(_) => true,
        Value::Array(items) => items.iter().all(is_data),
        Value::Hash(entries) => entries.iter().all(|(key, value)| key.as_str().is_some() && is_data(value)),
        _ => false,
    }
}

fn is_scalar(value: &Value) -> bool {
    matches!(
        value,
        Value::Bool(_)
            | Value::Int(_)
            | Value::BigInt(_)
            | Value::Float(_)
            | Value::Str(_)
            | Value::Regexp(_)
            | Value::Timestamp(_)
            | Value::Timespan(_)
            | Value::SemVer(_)
    )
}

const DEEP_OPTIONS: [(&str, bool); 4] =
    [("knockout_prefix", false), ("merge_debug", true), ("merge_hash_arrays", true), ("sort_merged_arrays", true)];

fn are_valid_options(kind: StrategyKind, options: &Hash) -> bool {
    let any = matches!(kind, StrategyKind::UnconstrainedDeep | StrategyKind::ReverseDeep);
    options.iter().all(|(key, value)| {
        let Some(key) = key.as_str() else { return false };
        if any {
            return !key.is_empty();
        }
        let deep = DEEP_OPTIONS.iter().filter(|_| kind == StrategyKind::Deep).find(|(name, _)| *name == key);
        match deep {
            _ if key == "strategy" => true,
            Some((_, true)) => matches!(value, Value::Bool(_) | Value::Undef),
            Some((_, false)) => matches!(value, Value::Str(_) | Value::Undef),
            None => false,
        }
    })
}

fn options_type(kind: StrategyKind) -> String {
    match kind {
        StrategyKind::Deep => "Struct[{strategy=>Optional[Pattern[/deep/]],knockout_prefix=>Optional[String],\
             merge_debug=>Optional[Boolean],merge_hash_arrays=>Optional[Boolean],sort_merged_arrays=>Optional[Boolean]}]"
            .to_owned(),
        StrategyKind::UnconstrainedDeep | StrategyKind::ReverseDeep => "Hash[String[1],Any]".to_owned(),
        other => format!("Struct[{{strategy=>Optional[Pattern[/{}/]]}}]", other.name()),
    }
}
