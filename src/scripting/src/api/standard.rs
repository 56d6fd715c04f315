//! Replacements with limits for functions of Rhai whose time or memory is not proportional to their arguments: values as strings,
//! `replace`, sorting.
//!
//! In: the arguments of Rhai's functions. Out: the results of Rhai's functions. Must not: offer anything that Rhai does not.
//!
//! All other functions of Rhai take time and memory in proportion to their arguments, or call closures and compare items one by one,
//! which are steps of the engine: `limits::progress` ends them.

use std::any::TypeId;
use std::cmp::Ordering;
use std::fmt::Write;

use rhai::Array;
use rhai::Dynamic;
use rhai::EvalAltResult;
use rhai::FnPtr;
use rhai::ImmutableString;
use rhai::Map;
use rhai::NativeCallContext;
use rhai::Position;

use super::Fallible;
use crate::host;
use crate::limits::MAX_STRING;
use crate::natives::Natives;
use crate::reserved_words;
use catwalk_base::meter;

/// Registers the functions.
pub(super) fn register(natives: &mut Natives) {
    let printable = [
        TypeId::of::<Array>(),
        TypeId::of::<Map>(),
        TypeId::of::<ImmutableString>(),
        TypeId::of::<i64>(),
        TypeId::of::<f64>(),
        TypeId::of::<bool>(),
        TypeId::of::<char>(),
        TypeId::of::<()>(),
        TypeId::of::<Dynamic>(),
    ];
    printable.into_iter().for_each(|kind| _ = natives.register_printer("print", [kind], print_line));
    for name in ["to_string", "to_debug", "debug"] {
        natives.register_printer(name, [TypeId::of::<Array>()], print_value);
        natives.register_printer(name, [TypeId::of::<Map>()], print_value);
    }
    natives.register_fn("replace", |receiver: &mut ImmutableString, find: &str, by: &str| replace(receiver, find, by));
    natives.register_fn("replace", |receiver: &mut ImmutableString, find: &str, by: char| {
        replace(receiver, find, by.encode_utf8(&mut [0; 4]))
    });
    natives.register_fn("replace", |receiver: &mut ImmutableString, find: char, by: &str| {
        replace(receiver, find.encode_utf8(&mut [0; 4]), by)
    });
    natives.register_fn("replace", |receiver: &mut ImmutableString, find: char, by: char| {
        replace(receiver, find.encode_utf8(&mut [0; 4]), by.encode_utf8(&mut [0; 4]))
    });
    natives.register_fn("sort", |items: &mut Array| sort_in_place(items, Ordering::is_gt));
    natives.register_fn("sort_desc", |items: &mut Array| sort_in_place(items, Ordering::is_lt));
    natives.register_fn("order", |items: Array| sort_copy(items, Ordering::is_gt));
    natives.register_fn("order_desc", |items: Array| sort_copy(items, Ordering::is_lt));
    for name in ["sort", "sort_by"] {
        natives.register_fn(name, |ctx: NativeCallContext, items: &mut Array, by: FnPtr| {
            sort(items, &mut |a, b| comes_after(&ctx, &by, a, b))
        });
    }
    for name in ["order", "order_by"] {
        natives.register_fn(name, |ctx: NativeCallContext, mut items: Array, by: FnPtr| -> Fallible<Array> {
            sort(&mut items, &mut |a, b| comes_after(&ctx, &by, a, b))?;
            Ok(items)
        });
    }
}

fn too_large<T>(kind: &str) -> Fallible<T> {
    Err(Box::new(EvalAltResult::ErrorDataTooLarge(kind.to_owned(), Position::NONE)))
}

/// Converts an array or map to a string.
fn print_value(ctx: NativeCallContext<'_>, args: &mut [&mut Dynamic]) -> Fallible<Dynamic> {
    let mut out = String::new();
    if let [value, ..] = args {
        write(&ctx, value, &mut out);
    }
    Ok(out.into())
}

/// Logs a value with the position of the call; Rhai's own `print` has none.
fn print_line(ctx: NativeCallContext<'_>, args: &mut [&mut Dynamic]) -> Fallible<Dynamic> {
    let (source, at) = (ctx.call_source().map(str::to_owned), ctx.call_position());
    let text = match args {
        [value] if value.is_array() || value.is_map() => print_value(ctx, args)?.to_string(),
        [value] => match ctx.call_native_fn::<ImmutableString>("to_string", ((**value).clone(),)) {
            Ok(text) => text.to_string(),
            Err(_) => value.to_string(),
        },
        _ => String::new(),
    };
    host::log_output(host::PRINTED, &text, source.as_deref(), at);
    Ok(reserved_words::LOGGED.into())
}

/// Writes a value as `to_debug` prints it.
fn write(ctx: &NativeCallContext<'_>, value: &mut Dynamic, out: &mut String) {
    // The meter ends a string that gets too long by unwinding.
    meter::tick(1);
    meter::check_string(out.len());
    if let Some(mut items) = value.write_lock::<Array>() {
        out.push('[');
        for (at, item) in items.iter_mut().enumerate() {
            out.push_str(if at == 0 { "" } else { ", " });
            write(ctx, item, out);
        }
        out.push(']');
    } else if let Some(mut entries) = value.write_lock::<Map>() {
        out.push_str("#{");
        for (at, (key, item)) in entries.iter_mut().enumerate() {
            // Writing to a string does not fail.
            let _ = write!(out, "{}{key:?}: ", if at == 0 { "" } else { ", " });
            write(ctx, item, out);
        }
        out.push('}');
    } else if let Some(text) = value.read_lock::<ImmutableString>() {
        meter::check_string(out.len() + text.len());
        let _ = write!(out, "{:?}", text.as_str());
    } else {
        let printed = ctx.call_native_fn_raw("to_debug", true, &mut [value]);
        match printed.map(Dynamic::into_immutable_string) {
            Ok(Ok(text)) => out.push_str(&text),
            _ => out.push_str(value.type_name()),
        }
    }
    meter::check_string(out.len());
}

/// Replaces all occurrences of a substring.
fn replace(receiver: &mut ImmutableString, find: &str, by: &str) -> Fallible<()> {
    if receiver.is_empty() {
        return Ok(());
    }
    if by.len() > find.len() {
        let growth = receiver.matches(find).count().saturating_mul(by.len() - find.len());
        if receiver.len().saturating_add(growth) > MAX_STRING {
            return too_large("Length of string");
        }
    }
    *receiver = receiver.replace(find, by).into();
    Ok(())
}

fn sort_copy(mut items: Array, after: fn(Ordering) -> bool) -> Fallible<Array> {
    sort_in_place(&mut items, after)?;
    Ok(items)
}

/// Sorts items of one type in their natural order.
fn sort_in_place(items: &mut Array, after: fn(Ordering) -> bool) -> Fallible<()> {
    let fail = |text: String| Err(Box::new(EvalAltResult::ErrorFunctionNotFound(text, Position::NONE)));
    let Some(first) = items.first().filter(|_| items.len() > 1) else { return Ok(()) };
    let kind = first.type_id();
    if items.iter().any(|item| item.type_id() != kind) {
        return fail("elements of different types cannot be sorted".to_owned());
    }
    if first.is_unit() {
        return Ok(());
    }
    if !(first.is_int() || first.is_float() || first.is_string() || first.is_char() || first.is_bool()) {
        return fail(format!("elements of {} cannot be sorted", first.type_name()));
    }
    sort(items, &mut |a, b| Ok(after(compare_natural(a, b))))
}

/// Compares two items of an ordered type.
fn compare_natural(a: &Dynamic, b: &Dynamic) -> Ordering {
    if let (Ok(a), Ok(b)) = (a.as_int(), b.as_int()) {
        return a.cmp(&b);
    }
    if let (Ok(a), Ok(b)) = (a.as_float(), b.as_float()) {
        return a.partial_cmp(&b).unwrap_or(Ordering::Equal);
    }
    if let (Some(a), Some(b)) = (a.read_lock::<ImmutableString>(), b.read_lock::<ImmutableString>()) {
        // Comparing long strings takes long.
        meter::tick(a.len().min(b.len()) / 64);
        return a.as_str().cmp(b.as_str());
    }
    if let (Ok(a), Ok(b)) = (a.as_char(), b.as_char()) {
        return a.cmp(&b);
    }
    a.as_bool().ok().cmp(&b.as_bool().ok())
}

/// Whether the comparer of a script puts `a` after `b`: it returns a number, or whether `a` comes first.
fn comes_after(ctx: &NativeCallContext<'_>, comparer: &FnPtr, a: &Dynamic, b: &Dynamic) -> Fallible<bool> {
    let answer = comparer.call_within_context::<Dynamic>(ctx, (a.clone(), b.clone()))?;
    Ok(match (answer.as_int(), answer.as_bool()) {
        (Ok(order), _) => order > 0,
        (_, Ok(is_first)) => !is_first,
        _ => a.type_id() > b.type_id(),
    })
}

/// Sorts stably; after an error all items keep their original order.
fn sort(items: &mut Array, after: &mut dyn FnMut(&Dynamic, &Dynamic) -> Fallible<bool>) -> Fallible<()> {
    let order = merge_sort((0..items.len()).collect(), &mut |a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => after(a, b),
        _ => Ok(false),
    })?;
    *items = order.into_iter().filter_map(|at| items.get_mut(at).map(std::mem::take)).collect();
    Ok(())
}

/// Sorts the positions of items. Unlike the standard library's sort, it stops at the first error and accepts inconsistent comparers.
fn merge_sort(mut items: Vec<usize>, after: &mut dyn FnMut(usize, usize) -> Fallible<bool>) -> Fallible<Vec<usize>> {
    if items.len() < 2 {
        return Ok(items);
    }
    meter::tick(items.len());
    let right = merge_sort(items.split_off(items.len() / 2), after)?;
    let left = merge_sort(items, after)?;
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let next = if after(*a, *b)? { right.next() } else { left.next() };
        merged.extend(next);
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}
