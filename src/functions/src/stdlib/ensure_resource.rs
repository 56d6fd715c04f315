//! `defined_with_params`, `ensure_packages`, `ensure_resource`, `ensure_resources`, `getparam`: declare resources unless they
//! exist.

use crate::Function;
use crate::create_resources::reference_attributes;
use crate::flatten::flat;
use catwalk_base::names::Name;
use catwalk_catalog::ResourceId;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::check_reference_tag;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_eval::runtime3::no_method;
use catwalk_value::Hash;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const DEFINED_WITH_PARAMS: Function = Function {
    name: "defined_with_params",
    signatures: &[("Any *$args", defined_with_params)],
    doc: "Returns whether a resource with these parameters, and possibly others, has been declared. Depends on \
          evaluation order.",
    examples: &[
        ("defined_with_params('File[/no/such]', {})", "false"),
        (
            "notify { 'x': message => 'm', withpath => true }\n[defined_with_params(Notify['x'], {'message' => 'm'}), defined_with_params(Notify['x'], {'message' => 'n'})]",
            "[true, false]",
        ),
    ],
};

pub(super) const ENSURE_PACKAGES: Function = Function {
    name: "ensure_packages",
    signatures: &[(
        "Variant[String[1], Array[String[1]], Hash[String[1], Any]] $packages, Hash $default_attributes = {} >> Undef",
        ensure_packages,
    )],
    doc: "Declares packages unless they have already been declared with the same attributes. Takes a name, an array of \
          names or a hash of names to attributes, then default attributes; `ensure` is `installed` by default.",
    examples: &[
        ("ensure_packages(['curl', 'git'])\n[defined(Package['curl']), defined(Package['git'])]", "[true, true]"),
        ("ensure_packages({'vim' => {'ensure' => 'latest'}})\nPackage['vim']['ensure']", "'latest'"),
    ],
};

pub(super) const STDLIB_ENSURE_PACKAGES: Function = Function {
    name: "stdlib::ensure_packages",
    signatures: &[
        (
            "Variant[String[1], Array[String[1]]] $packages, Hash $default_attributes = {} >> Undef",
            stdlib_ensure_packages,
        ),
        ("Hash[String[1], Any] $packages, Hash $default_attributes = {} >> Undef", stdlib_ensure_packages_hash),
    ],
    doc: "Declares packages unless they have already been declared with the same attributes. Takes a name, an array of \
          names or a hash of names to attributes, then default attributes; `ensure` is `installed` by default.",
    examples: &[
        ("stdlib::ensure_packages(['curl', 'git'])\ndefined(Package['curl'])", "true"),
        ("stdlib::ensure_packages({'vim' => {'ensure' => 'latest'}})\nPackage['vim']['ensure']", "'latest'"),
    ],
};

pub(super) const ENSURE_RESOURCE: Function = Function {
    name: "ensure_resource",
    signatures: &[("Any *$args", ensure_resource)],
    doc: "Declares a resource, or several with an array of titles, unless it has already been declared with the same \
          attributes. A resource declared with different attributes is an error (a duplicate declaration). Depends on \
          evaluation order.",
    examples: &[
        (
            "ensure_resource('notify', 'x', {'message' => 'm'})\nensure_resource('notify', 'x', {'message' => 'm'})\nNotify['x']['message']",
            "'m'",
        ),
        ("ensure_resource('notify', ['a', 'b'])\ndefined(Notify['b'])", "true"),
    ],
};

pub(super) const ENSURE_RESOURCES: Function = Function {
    name: "ensure_resources",
    signatures: &[("Any *$args", ensure_resources)],
    doc: "Declares resources of a type from a hash of titles to attributes unless they have already been declared with \
          the same attributes; a third argument holds default attributes.",
    examples: &[
        (
            "ensure_resources('notify', {'x' => {'message' => 'm'}}, {'withpath' => true})\n[Notify['x']['message'], Notify['x']['withpath']]",
            "['m', true]",
        ),
        ("ensure_resources('notify', {})\ndefined(Notify['x'])", "false"),
    ],
};

pub(super) const GETPARAM: Function = Function {
    name: "getparam",
    signatures: &[("Any *$args", getparam)],
    doc: "Returns the value of a parameter of a declared resource, or the empty string if it has none. Depends on \
          evaluation order; `Type['title']['parameter']` does the same.",
    examples: &[
        ("getparam('File[/no/such]', 'mode')", "''"),
        ("notify { 'x': message => 'm' }\ngetparam(Notify['x'], 'message')", "'m'"),
    ],
};

/// The value of a resource's own parameter; defaults of its scope are not applied yet.
fn explicit_parameter(call: &Call<'_, '_>, id: ResourceId, name: &str) -> Value {
    let Some(entry) = call.ev.state.resources.entries.get(id.0 as usize) else { return Value::Undef };
    if name == "title" {
        return Value::from(entry.title.clone());
    }
    entry.get(Name::new(name)).cloned().unwrap_or(Value::Undef)
}

fn has_parameters(call: &Call<'_, '_>, id: ResourceId, expected: &Hash) -> bool {
    expected.iter().all(|(key, value)| explicit_parameter(call, id, &runtime3::to_s(key)) == *value)
}

/// Parameters as a resource stores them: references among them as a 3.x function receives them
/// (`Runtime3Converter#convert_PCatalogEntryType`).
fn as_stored(call: &Call<'_, '_>, params: &Hash) -> Res<Hash> {
    params.iter().map(|(key, value)| Ok((key.clone(), call.ev.catalog_value(value.clone())?))).collect()
}

/// Whether a reference has no title (`File`, `File['']`). A class without a name is `main`.
fn has_no_title(reference: &Type) -> bool {
    matches!(reference, Type::Resource(resource)
        if resource.title.as_deref().unwrap_or_default().is_empty() && resource.type_name.as_deref() != Some("Class"))
}

/// The existing resources that a reference names, without the resource whose body is being evaluated.
fn find_referenced(call: &mut Call<'_, '_>, reference: &Value) -> Res<Vec<ResourceId>> {
    let ids: Vec<ResourceId> = match reference {
        Value::Str(string) => call.ev.find_reference(string)?.into_iter().collect(),
        Value::Type(data_type @ (Type::Resource(_) | Type::Class(_))) => match data_type {
            Type::Resource(resource) if has_no_title(data_type) => {
                let name = resource.type_name.as_deref().unwrap_or_default();
                let entries = call.ev.state.resources.entries.iter().enumerate();
                entries
                    .filter(|(_, entry)| entry.type_name.as_str().eq_ignore_ascii_case(name))
                    .filter_map(|(at, _)| u32::try_from(at).ok().map(ResourceId))
                    .collect()
            }
            data_type => {
                let reference = call.ev.catalog_reference(data_type)?;
                call.ev.find_resource(reference.type_name, &reference.title)?.into_iter().collect()
            }
        },
        other => return fail(format!("Reference is not understood: '{}'", ruby::class_name(other))),
    };
    let base = call.ev.base();
    let evaluated = call.ev.scope(base).and_then(|scope| scope.resource);
    Ok(ids.into_iter().filter(|id| Some(*id) != evaluated).collect::<Vec<_>>())
}

fn is_defined_with(call: &mut Call<'_, '_>, reference: &Value, params: &Hash) -> Res<bool> {
    let ids = find_referenced(call, reference)?;
    if ids.is_empty() {
        return Ok(false);
    }
    let params = as_stored(call, params)?;
    Ok(ids.into_iter().any(|id| has_parameters(call, id, &params)))
}

/// Parameters to declare a resource with. (`Hash#merge`, which calls `to_hash` of a resource)
fn parameters_to_declare(call: &mut Call<'_, '_>, value: Option<&Value>) -> Res<Hash> {
    match value {
        // An explicit `undef` is passed as an empty string, which means no parameters.
        None | Some(Value::Undef | Value::Bool(false)) => Ok(Hash::new()),
        Some(Value::Hash(entries)) => Ok(entries.as_ref().clone()),
        Some(Value::Type(t @ (Type::Resource(_) | Type::Class(_)))) => reference_attributes(call, t),
        Some(other) => fail(format!("no implicit conversion of {} into Hash", ruby::conversion_name(other))),
    }
}

/// Parameters to compare with those of a resource: any value that converts to pairs.
fn comparable_parameters(value: Option<&Value>) -> Res<Hash> {
    match value {
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| match item {
                Value::Array(pair) => pair.first().cloned().zip(pair.get(1).cloned().or(Some(Value::Undef))),
                item => Some((item.clone(), Value::Undef)),
            })
            .map(|pair| Ok(pair.unwrap_or((Value::Undef, Value::Undef))))
            .map(|pair: Res<(Value, Value)>| match pair? {
                (key @ Value::Str(_), value) => Ok((key, value)),
                (key, _) => no_method("intern", &key),
            })
            .collect(),
        // The parameters of a resource are iterated; a reference has none.
        None | Some(Value::Undef | Value::Bool(false) | Value::Type(Type::Resource(_) | Type::Class(_))) => {
            Ok(Hash::new())
        }
        Some(Value::Hash(entries)) => Ok(entries.as_ref().clone()),
        Some(Value::Str(string)) if string.is_empty() => Ok(Hash::new()),
        Some(other) => no_method("map", other),
    }
}

fn defined_with_params(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    let Some(reference) = args.first().filter(|reference| reference.truthy()) else {
        return fail("Must specify a reference");
    };
    let mut ids = find_referenced(call, reference)?.into_iter().peekable();
    if ids.peek().is_none() {
        // The parameters are not used.
        return Ok(Value::Bool(false));
    }
    let params = as_stored(call, &comparable_parameters(args.get(1))?)?;
    Ok(Value::Bool(ids.any(|id| has_parameters(call, id, &params))))
}

/// The name of a type as in references.
///
/// # Errors
/// The name is not a string.
fn capitalize_type_name(type_name: &Value) -> Res<String> {
    match type_name {
        Value::Str(string) => Ok(ruby::capitalize(string)),
        // `default` is a symbol, which also has the method `capitalize`.
        Value::Default => Ok("Default".to_owned()),
        other => no_method("capitalize", other),
    }
}

/// Declares each resource unless it exists with these parameters.
fn ensure(call: &mut Call<'_, '_>, type_name: &Value, titles: &Value, params: &Hash) -> Res<()> {
    ensure_unless(call, type_name, titles, params, params)
}

/// Creates resources, unless they exist with the parameters `unless`.
fn ensure_unless(call: &mut Call<'_, '_>, type_name: &Value, titles: &Value, params: &Hash, unless: &Hash) -> Res<()> {
    let type_text = runtime3::to_s(type_name).into_owned();
    for title in flat(std::slice::from_ref(titles)) {
        let reference = Value::from(format!("{type_text}[{}]", runtime3::to_s(&title)));
        if is_defined_with(call, &reference, unless)? {
            continue;
        }
        let mut resources = Hash::new();
        resources.insert(title, Value::hash(params.clone()));
        let type_name = Value::from(capitalize_type_name(type_name)?);
        call.call_function("create_resources", &[type_name, Value::hash(resources)])?;
    }
    Ok(())
}

fn ensure_resource(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    let (Some(type_name), title) = (args.first().filter(|v| v.truthy()), args.get(1)) else {
        return fail("Must specify a type");
    };
    let Some(title) = title.filter(|title| title.truthy()) else { return fail("Must specify a title") };
    let params = match args.get(2) {
        Some(Value::Hash(params)) => params.as_ref().clone(),
        attributes @ Some(Value::Type(Type::Resource(_) | Type::Class(_))) => {
            let (params, unless) = (parameters_to_declare(call, attributes)?, comparable_parameters(attributes)?);
            ensure_unless(call, type_name, title, &params, &unless)?;
            return Ok(Value::Undef);
        }
        attributes => {
            // The existence of the first resource is checked before the parameters are used.
            let first = flat(std::slice::from_ref(title)).into_iter().next();
            let Some(first) = first else { return Ok(Value::Undef) };
            let string = runtime3::to_s(type_name);
            let reference = Value::from(format!("{string}[{}]", runtime3::to_s(&first)));
            if !find_referenced(call, &reference)?.is_empty() {
                comparable_parameters(attributes)?
            } else {
                capitalize_type_name(type_name)?;
                parameters_to_declare(call, attributes)?
            }
        }
    };
    ensure(call, type_name, title, &params)?;
    Ok(Value::Undef)
}

fn ensure_resources(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    let (Some(type_name), title) = (args.first().filter(|v| v.truthy()), args.get(1)) else {
        return fail("Must specify a type");
    };
    let Some(title) = title.filter(|title| title.truthy()) else { return fail("Must specify a title") };
    let Value::Hash(resources) = title else {
        return fail("ensure_resources(): Requires second argument to be a Hash");
    };
    if args.get(2).is_some_and(merges_to_nothing) && resources.values().all(Value::truthy) {
        let bare = resources.keys().map(|title| (title.clone(), Value::hash(Hash::new()))).collect();
        ensure_each(call, type_name, &bare, &Hash::new())?;
        return Ok(Value::Undef);
    }
    if let Some(other) = args.get(2).filter(|other| other.truthy() && !matches!(other, Value::Hash(_)))
        && resources.iter().next().is_some_and(|(_, params)| params.truthy())
    {
        return no_method("merge", other);
    }
    // Default attributes are not checked without resources.
    if !resources.is_empty() {
        let defaults = parameters_to_declare(call, args.get(2))?;
        ensure_each(call, type_name, resources, &defaults)?;
    }
    Ok(Value::Undef)
}

/// The types of integer and float ranges have their own `merge`, which returns nothing for a value that is not a range: the
/// resources lose all parameters. (`PIntegerType#merge`, `PFloatType#merge`)
fn merges_to_nothing(params: &Value) -> bool {
    matches!(params, Value::Type(Type::Integer(_) | Type::BigInteger(_) | Type::Float(_)))
}

fn merge(defaults: &Hash, attributes: &Value) -> Hash {
    let mut out = defaults.clone();
    if let Value::Hash(attributes) = attributes {
        for (key, value) in attributes.iter() {
            out.insert(key.clone(), value.clone());
        }
    }
    out
}

fn ensure_each(call: &mut Call<'_, '_>, type_name: &Value, resources: &Hash, defaults: &Hash) -> Res<()> {
    for (name, params) in resources.iter() {
        let params = match params {
            Value::Hash(_) => merge(defaults, params),
            other => merge(defaults, &Value::hash(parameters_to_declare(call, Some(other))?)),
        };
        if !name.truthy() {
            return fail("Must specify a title");
        }
        ensure(call, type_name, name, &params)?;
    }
    Ok(())
}

fn ensure_packages(call: &mut Call<'_, '_>) -> Res<Value> {
    let mut defaults = Hash::new();
    defaults.set("ensure", Value::from("installed"));
    let mut defaults = merge(&defaults, call.arg(1));
    if defaults.get("ensure").and_then(Value::as_str) == Some("present") {
        defaults.set("ensure", Value::from("installed"));
    }
    let package = Value::from("package");
    match call.arg(0) {
        Value::Hash(packages) => {
            // All arguments are passed on to a 3.x function.
            runtime3::check_representable(call.arg(0))?;
            runtime3::check_representable(&Value::hash(defaults.clone()))?;
            ensure_each(call, &package, packages, &defaults)?;
        }
        names => ensure(call, &package, names, &defaults)?,
    }
    Ok(Value::Undef)
}

/// Declares a package unless it exists with these attributes. The values `present` and `installed` of `ensure` are treated as equal.
fn ensure_package(call: &mut Call<'_, '_>, name: &Value, attributes: &Value) -> Res<()> {
    let mut defaults = Hash::new();
    defaults.set("ensure", Value::from("installed"));
    let mut defaults = merge(&defaults, attributes);
    if matches!(defaults.get("ensure").and_then(Value::as_str), Some("present" | "installed")) {
        let mut present = Hash::new();
        present.set("ensure", Value::from("present"));
        let reference = Value::from(format!("Package[{}]", runtime3::to_s(name)));
        let word = if is_defined_with(call, &reference, &present)? { "present" } else { "installed" };
        defaults.set("ensure", Value::from(word));
    }
    ensure(call, &Value::from("package"), name, &defaults)
}

fn stdlib_ensure_packages(call: &mut Call<'_, '_>) -> Res<Value> {
    for name in flat(std::slice::from_ref(call.arg(0))) {
        ensure_package(call, &name, call.arg(1))?;
    }
    Ok(Value::Undef)
}

fn stdlib_ensure_packages_hash(call: &mut Call<'_, '_>) -> Res<Value> {
    let (Value::Hash(packages), defaults) = (call.arg(0), call.arg(1)) else { return Ok(Value::Undef) };
    for (name, attributes) in packages.iter() {
        let attributes = merge(&merge(&Hash::new(), defaults), attributes);
        ensure_package(call, name, &Value::hash(attributes))?;
    }
    Ok(Value::Undef)
}

fn getparam(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    let Some(reference) = args.first().filter(|reference| reference.truthy()) else {
        return fail("Must specify a reference");
    };
    let Some(Value::Str(name)) = args.get(1) else { return fail("Must specify name of a parameter") };
    if name.is_empty() {
        return Ok(Value::str(""));
    }
    let id = match reference {
        Value::Type(data_type @ (Type::Resource(_) | Type::Class(_))) if !has_no_title(data_type) => {
            let reference = call.ev.catalog_reference(data_type)?;
            call.ev.find_resource(reference.type_name, &reference.title)?
        }
        other => {
            let string = runtime3::to_s(other);
            let id = call.ev.find_reference(&string)?;
            if id.is_none() {
                check_reference_tag(&string)?;
            }
            id
        }
    };
    Ok(match id.map(|id| explicit_parameter(call, id, name)) {
        None | Some(Value::Undef) => Value::str(""),
        Some(value) => value,
    })
}
