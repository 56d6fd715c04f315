//! Describes why arguments match no signature, and formats signatures.
//!
//! In: signatures and arguments. Out: the message. Must not: choose a signature.

use std::sync::Arc;

use super::Signature;
use super::describe;
use super::extend_path;
use super::merge_descriptions;
use crate::types::IntRange;
use crate::types::TupleType;
use crate::types::Type;
use crate::types::infer_set;
use crate::types::is_assignable;
use crate::types::is_callable_type;
use crate::types::len;
use crate::types::mismatch::message::Group;
use crate::types::mismatch::message::Kind;
use crate::types::mismatch::message::Mismatch;
use crate::types::mismatch::message::Step;
use crate::value::Value;

/// Describes why a call matches none of a function's signatures. `name` is `lambda` for a block, `block` the type of the passed block.
#[must_use]
pub fn describe_signatures(name: &str, signatures: &[Signature], args: &[Value], block: Option<&Type>) -> String {
    let types: Vec<Type> = args.iter().map(infer_set).chain(block.cloned()).collect();
    let mut all: Vec<Vec<Mismatch>> = signatures
        .iter()
        .enumerate()
        .map(|(n, signature)| describe_arguments(signature, &types, &[Step::Signature(n)]))
        .collect();
    if all.iter().any(Vec::is_empty) {
        let blocks: Vec<Vec<Mismatch>> = signatures
            .iter()
            .enumerate()
            .map(|(n, signature)| describe_block(signature, &types, &[Step::Signature(n)]))
            .collect();
        let wrong = blocks.iter().filter(|mismatches| !mismatches.is_empty()).count();
        if wrong == blocks.len() {
            all = blocks;
        } else if wrong > 0 {
            for (mismatches, block) in all.iter_mut().zip(blocks) {
                if mismatches.is_empty() {
                    *mismatches = block;
                }
            }
        }
    }
    let label = if name == "lambda" { "block".to_owned() } else { format!("'{name}'") };
    let merged = merge_descriptions(0, Group::Count, &all);
    if let [one] = merged.as_slice() {
        return format!("{label}{}", one.format());
    }
    let push_rejections = |out: &mut Vec<String>, indent: &str, mismatches: &[Mismatch]| {
        out.extend(mismatches.iter().map(|one| format!("{indent}rejected:{}", one.clone().without_step(0).format())));
    };
    let mut lines;
    if let ([signature], [mismatches]) = (signatures, all.as_slice()) {
        lines = vec![format!("{label} expects ({})", signature_text(signature))];
        push_rejections(&mut lines, "  ", mismatches);
    } else {
        lines = vec![format!("The function {label} was called with arguments it does not accept. It expects one of:")];
        for (signature, mismatches) in signatures.iter().zip(&all) {
            lines.push(format!("  ({})", signature_text(signature)));
            push_rejections(&mut lines, "    ", mismatches);
        }
    }
    lines.join("\n")
}

pub(super) fn describe_arguments(signature: &Signature, types: &[Type], path: &[Step]) -> Vec<Mismatch> {
    let any = TupleType::default_params();
    let params = signature.callable.params.as_ref().unwrap_or(&any);
    let args = match types.last() {
        Some(last) if is_callable_type(last, true) => types.get(..types.len() - 1).unwrap_or_default(),
        _ => types,
    };
    let (expected, actual) = (params.size_range(), IntRange::exactly(len(args.len())));
    if !expected.covers(actual) {
        return vec![Mismatch { path: path.to_vec(), kind: Kind::Count(expected, actual) }];
    }
    for (n, t) in args.iter().enumerate() {
        let at = n.min(params.types.len().saturating_sub(1));
        let Some(param) = params.types.get(at) else { continue };
        if !is_assignable(param, t) {
            let name = signature.names.get(at).map(ToString::to_string).unwrap_or_default();
            let mismatches = describe(param, t, &extend_path(path, Step::Parameter(name)));
            if !mismatches.is_empty() {
                return mismatches;
            }
        }
    }
    Vec::new()
}

impl TupleType {
    /// Any number of parameters of any type.
    fn default_params() -> TupleType {
        TupleType { types: Vec::new(), size: Some(IntRange::SIZE) }
    }
}

fn describe_block(signature: &Signature, types: &[Type], path: &[Step]) -> Vec<Mismatch> {
    let block = types.last().filter(|last| is_callable_type(last, true));
    let one = |kind| vec![Mismatch { path: path.to_vec(), kind }];
    match (block, &signature.callable.block) {
        (Some(_), None) => one(Kind::UnexpectedBlock),
        (Some(block), Some(expected)) => describe(expected, block, &extend_path(path, Step::Block)),
        (None, Some(expected)) if !is_assignable(expected, &Type::Undef) => one(Kind::MissingBlock),
        (None, _) => Vec::new(),
    }
}

/// Formats the parameters of a signature: `String name, Integer size?`.
#[must_use]
pub(crate) fn signature_text(signature: &Signature) -> String {
    let any = TupleType::default_params();
    let params = signature.callable.params.as_ref().unwrap_or(&any);
    let size = params.size_range();
    if size.is_zero() {
        return String::new();
    }
    let required = size.lower().unwrap_or(0);
    let empty: Arc<str> = Arc::from("");
    let names: Vec<&Arc<str>> = if signature.names.is_empty() {
        params.types.iter().map(|_| &empty).collect()
    } else {
        signature.names.iter().collect()
    };
    let mut parts = Vec::with_capacity(names.len());
    for (n, name) in names.iter().enumerate() {
        let Some(mut t) = params.at(n) else { continue };
        let mut indicator = "";
        if size.upper().is_none() && n + 1 == names.len() {
            indicator = if required == len(names.len()) { "+" } else { "*" };
        } else if len(n + 1) > required {
            indicator = "?";
            if let Type::Optional(Some(inner)) = t {
                t = inner;
            }
        }
        parts.push(format!("{t} {name}{indicator}"));
    }
    let block_name = signature.block_name.as_deref().unwrap_or("block");
    match &signature.callable.block {
        Some(Type::Optional(Some(inner))) => parts.push(format!("{inner} {block_name}?")),
        Some(block @ Type::Callable(_)) => parts.push(format!("{block} {block_name}")),
        _ => {}
    }
    parts.join(", ")
}
