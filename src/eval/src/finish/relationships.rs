//! Checks that relationships name existing resources.
//!
//! In: parameters of the finished resources. Out: edges, or missing resources. Must not: change resources.

use rustc_hash::FxHashMap;

use crate::Evaluator;
use crate::Res;
use crate::Stop;
use crate::register::check_reference_tag;
use crate::resource::parse_error;
use catwalk_catalog::ResourceId;
use catwalk_value::Value;
use catwalk_value::ruby;

/// All elements of nested arrays, without undefined ones.
fn each_item<'v>(value: &'v Value, into: &mut Vec<&'v Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| each_item(item, into)),
        Value::Undef => {}
        other => into.push(other),
    }
}

/// A relationship's target as messages print it.
fn reference_string(value: &Value) -> String {
    let reference = match value {
        Value::Type(data_type) => catwalk_value::catalog_reference(data_type),
        _ => None,
    };
    reference.unwrap_or_else(|| ruby::to_s(value).into_owned())
}

impl<'c> Evaluator<'c> {
    /// Every `before`, `require`, `notify` and `subscribe` must name an existing resource.
    ///
    /// # Errors
    ///
    /// A relationship names a missing resource.
    pub fn validate_relationships(&mut self) -> Res<()> {
        let mut ordering = Vec::with_capacity(self.state.resources.entries.len());
        // Arrows share the strings of their targets.
        let mut targets: FxHashMap<usize, ResourceId> = FxHashMap::default();
        for (at, entry) in self.state.resources.entries.iter().enumerate() {
            if entry.is_virtual {
                continue;
            }
            let owner = ResourceId(u32::try_from(at).unwrap_or(u32::MAX));
            for (name, param) in &entry.params {
                if !catwalk_program::is_relationship(*name) {
                    continue;
                }
                let forward = *name == catwalk_base::name!("before") || *name == catwalk_base::name!("notify");
                let mut add_ordering = |other| ordering.push(if forward { (owner, other) } else { (other, owner) });
                let mut flat = Vec::new();
                each_item(&param.value, &mut flat);
                for value in flat {
                    let address = value.as_str().map(|text| text.as_ptr().addr());
                    if let Some(id) = address.and_then(|address| targets.get(&address)) {
                        add_ordering(*id);
                        continue;
                    }
                    let found = match self.reference_of_value(value) {
                        Ok(reference) if reference.title.is_empty() => self.find_reference(&reference_string(value)),
                        Ok(reference) => self.find_resource(reference.type_name, &reference.title),
                        Err(stop) => Err(stop),
                    };
                    match found {
                        Ok(Some(id)) => {
                            add_ordering(id);
                            if let Some(address) = address {
                                targets.insert(address, id);
                            }
                        }
                        Ok(None) => {
                            let reference = reference_string(value);
                            check_reference_tag(&reference)?;
                            let text = format!("Could not find resource '{reference}' in parameter '{name}'");
                            return Err(self.missing_target(text, &reference, param.span));
                        }
                        Err(Stop::Reason(reason)) => return parse_error(reason.message, param.span),
                        Err(stop) => return Err(stop),
                    }
                }
            }
        }
        self.state.relations.ordering = Some(ordering);
        Ok(())
    }
}
