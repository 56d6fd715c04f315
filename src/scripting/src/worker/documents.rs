//! Nodes, classifications, catalogs, groups and verdicts of policies in frames.
//!
//! Only the parts that scripts can read are sent. Must not: trust its input.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;
use rhai::Position;

use super::codec::Reader;
use super::codec::RetainedValues;
use super::codec::Writer;
use super::remote::NoRetainedValues;
use crate::api::Verdict;
use crate::groups::GroupCollection;
use crate::groups::GroupDeclaration;
use crate::groups::RuleCode;
use crate::register;
use crate::register::Registration;
use crate::register::Registrations;
use catwalk_base::names::Name;
use catwalk_catalog::Catalog;
use catwalk_catalog::Kind;
use catwalk_catalog::Resource;
use catwalk_catalog::Tags;
use catwalk_catalog::Version;
use catwalk_classifier::group::DefinitionLocation;
use catwalk_node::classify::Classification;
use catwalk_node::classify::ClassificationPart;
use catwalk_node::classify::Request;
use catwalk_resource_api::Step;
use catwalk_value::Hash;
use catwalk_value::Value;

pub(super) fn write_request(writer: &mut Writer, request: &Request, retained: &dyn RetainedValues) {
    writer.string(&request.certname).string(&request.environment);
    writer.hash(&request.facts, retained).hash(&request.trusted, retained);
}

pub(super) fn read_request(reader: &mut Reader<'_>) -> Option<Request> {
    Some(Request {
        certname: Arc::from(reader.string()?),
        environment: Arc::from(reader.string()?),
        facts: reader.hash(&NoRetainedValues)?,
        trusted: reader.hash(&NoRetainedValues)?,
    })
}

pub(super) fn write_classification(
    writer: &mut Writer,
    classification: &Classification,
    retained: &dyn RetainedValues,
) {
    writer.number(classification.classes.len() as u64);
    for (class, parameters) in &classification.classes {
        writer.string(class);
        match parameters {
            None => writer.byte(0),
            Some(parameters) => writer.byte(1).hash(parameters, retained),
        };
    }
    for values in [&classification.parameters, &classification.data] {
        writer.number(values.len() as u64);
        for (name, value) in values {
            writer.string(name).value(value, retained);
        }
    }
    writer.optional_string(classification.environment.as_deref());
    writer.byte(u8::from(!classification.warnings.is_empty()));
    let calls = classification.locations.iter().filter_map(|(part, location)| match location {
        DefinitionLocation::Call { file, line, column } => Some((part, file, line, column)),
        _ => None,
    });
    for (part, file, line, column) in calls {
        writer.byte(1);
        match part {
            ClassificationPart::Class(class) => writer.byte(0).string(class),
            ClassificationPart::Parameter(class, parameter) => writer.byte(1).string(class).string(parameter),
            ClassificationPart::Variable(name) => writer.byte(2).string(name),
            ClassificationPart::Data(key) => writer.byte(3).string(key),
            ClassificationPart::Environment => writer.byte(4),
        };
        writer.string(&file.to_string_lossy()).number(*line as u64).number(*column as u64);
    }
    writer.byte(0);
}

/// A classification, and whether the script filled one that it did not return. Calls in files that are not known have no location.
pub(super) fn read_classification(
    reader: &mut Reader<'_>,
    retained: &dyn RetainedValues,
    is_known_file: &dyn Fn(&str) -> bool,
) -> Option<(Classification, bool)> {
    let mut result = Classification::default();
    for _ in 0..reader.number()? {
        let name = Arc::from(reader.string()?);
        let parameters: Option<Arc<Hash>> = if reader.byte()? == 1 { Some(reader.hash(retained)?) } else { None };
        result.classes.insert(name, parameters);
    }
    let mut values = || -> Option<IndexMap<Arc<str>, Value>> {
        (0..reader.number()?).map(|_| Some((Arc::from(reader.string()?), reader.value(retained)?))).collect()
    };
    (result.parameters, result.data) = (values()?, values()?);
    result.environment = reader.optional_string()?.map(Arc::from);
    let is_unreturned = reader.byte()? == 1;
    while reader.byte()? == 1 {
        let kind = reader.byte()?;
        let mut name = || Some(Arc::<str>::from(reader.string()?));
        let part = match kind {
            0 => ClassificationPart::Class(name()?),
            1 => ClassificationPart::Parameter(name()?, name()?),
            2 => ClassificationPart::Variable(name()?),
            3 => ClassificationPart::Data(name()?),
            4 => ClassificationPart::Environment,
            _ => return None,
        };
        let file = reader.string()?;
        let (line, column) = (usize::try_from(reader.number()?).ok()?, usize::try_from(reader.number()?).ok()?);
        if is_known_file(file) {
            result.locations.insert(part, DefinitionLocation::Call { file: Arc::from(Path::new(file)), line, column });
        }
    }
    Some((result, is_unreturned))
}

pub(super) fn write_catalog(writer: &mut Writer, catalog: &Catalog, retained: &dyn RetainedValues) {
    writer.string(&catalog.name).string(&catalog.environment);
    writer.number(catalog.classes.len() as u64);
    for class in &catalog.classes {
        writer.string(class);
    }
    writer.number(catalog.resources.len() as u64);
    for resource in &catalog.resources {
        write_resource(writer, resource, retained);
    }
    writer.number(catalog.edges.len() as u64);
    for (container, contained) in &catalog.edges {
        writer.number(*container as u64).number(*contained as u64);
    }
}

fn write_resource(writer: &mut Writer, resource: &Resource, retained: &dyn RetainedValues) {
    writer.string(resource.type_name.as_str()).string(&resource.title).optional_string(resource.file.as_deref());
    writer.number(resource.line.map_or(u64::MAX, u64::from)).byte(match resource.exported {
        None => 0,
        Some(false) => 1,
        Some(true) => 2,
    });
    writer.number(resource.tags.iter().count() as u64);
    for tag in resource.tags.iter() {
        writer.string(tag);
    }
    writer.number(resource.parameters.len() as u64);
    for (name, value) in &resource.parameters {
        writer.string(name.as_str()).byte(u8::from(resource.sensitive.contains(name))).value(value, retained);
    }
}

/// A catalog with only the parts that policies can read.
pub(super) fn read_catalog(reader: &mut Reader<'_>) -> Option<Catalog> {
    let (name, environment) = (Arc::from(reader.string()?), Arc::from(reader.string()?));
    let classes = (0..reader.number()?).map(|_| reader.string().map(Arc::from)).collect::<Option<Vec<Arc<str>>>>()?;
    let resources = (0..reader.number()?).map(|_| read_resource(reader)).collect::<Option<Vec<Resource>>>()?;
    let mut index = || usize::try_from(reader.number()?).ok();
    let edges = (0..index()?).map(|_| Some((index()?, index()?))).collect::<Option<Vec<(usize, usize)>>>()?;
    let (version, uuid, tags) = (Version::Seconds(0), Arc::from(""), Tags::default());
    Some(Catalog {
        name,
        version,
        uuid,
        environment,
        tags,
        classes,
        resources,
        edges,
        origins: Vec::new(),
        automatic: Vec::new(),
        secrets: Arc::default(),
    })
}

fn read_resource(reader: &mut Reader<'_>) -> Option<Resource> {
    let (type_name, title) = (Name::new(reader.string()?), Arc::from(reader.string()?));
    let file = reader.optional_string()?.map(Arc::from);
    let line = u32::try_from(reader.number()?).ok();
    let exported = match reader.byte()? {
        0 => None,
        exported => Some(exported == 2),
    };
    let mut tags = Tags::default();
    for _ in 0..reader.number()? {
        let _ = tags.add(reader.string()?);
    }
    let mut resource = Resource {
        type_name,
        title,
        title_is_main: false,
        tags,
        file,
        line,
        exported,
        is_virtual: false,
        kind: Kind::Unknown,
        namevar: Name::new("name"),
        isomorphic: true,
        composite: false,
        builtin: false,
        parameters: [].into_iter().collect(),
        sensitive: Vec::new(),
    };
    for _ in 0..reader.number()? {
        let name = Name::new(reader.string()?);
        if reader.byte()? == 1 {
            resource.sensitive.push(name);
        }
        resource.parameters.insert(name, reader.value(&NoRetainedValues)?);
    }
    Some(resource)
}

fn write_position(writer: &mut Writer, at: Position) {
    let part = |part: Option<usize>| part.unwrap_or(0) as u64;
    writer.number(part(at.line())).number(part(at.position()));
}

fn read_position(reader: &mut Reader<'_>) -> Option<Position> {
    let (line, column) = (u16::try_from(reader.number()?).ok()?, u16::try_from(reader.number()?).ok()?);
    Some(if line == 0 { Position::NONE } else { Position::new(line, column) })
}

pub(super) fn write_verdicts(writer: &mut Writer, verdicts: &[Verdict]) {
    writer.number(verdicts.len() as u64);
    for verdict in verdicts {
        writer.byte(u8::from(verdict.denied)).string(&verdict.message);
        writer.number(verdict.resource.map_or(u64::MAX, |at| at as u64)).optional_string(verdict.location.0.as_deref());
        write_position(writer, verdict.location.1);
    }
}

pub(super) fn read_verdicts(reader: &mut Reader<'_>) -> Option<Vec<Verdict>> {
    let verdict = |reader: &mut Reader<'_>| {
        let (denied, message) = (reader.byte()? == 1, reader.string()?.to_owned());
        let resource = Some(reader.number()?).filter(|at| *at != u64::MAX);
        let resource = resource.and_then(|at| usize::try_from(at).ok());
        let location = (reader.optional_string()?.map(str::to_owned), read_position(reader)?);
        Some(Verdict { denied, message, resource, location })
    };
    (0..reader.number()?).map(|_| verdict(reader)).collect()
}

pub(super) fn write_groups(writer: &mut Writer, collected: &GroupCollection, retained: &dyn RetainedValues) {
    writer.number(collected.groups.len() as u64);
    for group in &collected.groups {
        writer.hash(&group.members, retained).byte(u8::from(group.rule.is_some()));
        write_position(writer, group.at);
    }
    writer.number(collected.imported.len() as u64);
    for path in &collected.imported {
        writer.string(&path.to_string_lossy());
    }
}

/// Groups whose rules are in the worker, which finds them by the number of this load.
pub(super) fn read_groups(
    reader: &mut Reader<'_>,
    retained: &dyn RetainedValues,
    reading: u64,
) -> Option<GroupCollection> {
    let mut collected = GroupCollection::default();
    for number in 0..reader.number()? {
        let members = reader.hash(retained)?.as_ref().clone();
        let rule = (reader.byte()? == 1).then_some(RuleCode::InWorker(number, reading));
        collected.groups.push(GroupDeclaration { members, rule, at: read_position(reader)? });
    }
    for _ in 0..reader.number()? {
        collected.imported.push(PathBuf::from(reader.string()?));
    }
    Some(collected)
}

pub(super) fn write_registrations(writer: &mut Writer, registrations: &Registrations, retained: &dyn RetainedValues) {
    writer.number(registrations.calls.len() as u64);
    for call in &registrations.calls {
        writer.byte(u8::from(call.kind == register::Kind::Transport)).value(&call.value, retained);
        write_position(writer, call.at);
        writer.number(call.positions.len() as u64);
        for (path, at) in &call.positions {
            writer.number(path.len() as u64);
            for step in path {
                match step {
                    Step::Key(key) => writer.byte(0).string(key),
                    Step::Index(at) => writer.byte(1).number(*at as u64),
                };
            }
            write_position(writer, *at);
        }
    }
    writer.number(registrations.imported.len() as u64);
    for path in &registrations.imported {
        writer.string(&path.to_string_lossy());
    }
}

pub(super) fn read_registrations(reader: &mut Reader<'_>, retained: &dyn RetainedValues) -> Option<Registrations> {
    let mut registrations = Registrations::default();
    for _ in 0..reader.number()? {
        let kind = if reader.byte()? == 1 { register::Kind::Transport } else { register::Kind::Type };
        let (value, at) = (reader.value(retained)?, read_position(reader)?);
        let mut positions = register::KeyPositions::default();
        for _ in 0..reader.number()? {
            let mut path = Vec::new();
            for _ in 0..reader.number()? {
                path.push(match reader.byte()? {
                    0 => Step::Key(Arc::from(reader.string()?)),
                    _ => Step::Index(usize::try_from(reader.number()?).ok()?),
                });
            }
            positions.insert(path, read_position(reader)?);
        }
        registrations.calls.push(Registration { kind, value, at, positions });
    }
    for _ in 0..reader.number()? {
        registrations.imported.push(PathBuf::from(reader.string()?));
    }
    Some(registrations)
}
