//! Requests of the compile to workers: functions, classifiers, policies, groups and their rules.
//!
//! In: a script, its entry and arguments. Out: its result, or its failure. Must not: know the calls of workers meanwhile
//! (`parent`).

use std::sync::Arc;
use std::time::Duration;

use super::Conversation;
use super::WorkerFailure;
use super::Workers;
use super::codec::Reader;
use super::documents;
use super::from_worker;
use super::parent::SameWeak;
use super::parent::Subject;
use super::to_worker;
use crate::api::CatalogHandle;
use crate::api::Verdict;
use crate::cache::Script;
use crate::dispatch::Dispatch;
use crate::groups::GroupCollection;
use crate::host::Loading;
use crate::register::Registrations;
use catwalk_node::classify::Classification;
use catwalk_node::classify::Request;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;

impl<'a> Conversation<'a> {
    /// Calls a function of a script; the running compile is set as the host.
    pub(crate) fn function(
        script: &'a Script,
        loading: &'a Loading<'a>,
        limit: Duration,
        entry: &str,
        args: &[Value],
        block: bool,
    ) -> Result<Value, WorkerFailure> {
        Conversation::with(script, loading, limit, &Subject::None, |own| {
            let mut writer = own.begin(to_worker::FUNCTION);
            let data = loading.data.map(|path| path.to_string_lossy().into_owned());
            writer.text(entry).optional(data.as_deref()).byte(u8::from(block)).values(args, own);
            own.send(&writer);
            own.value()
        })
    }

    /// Runs a classifier: the classification, and whether the script filled one that it did not return.
    pub(crate) fn classify(
        script: &'a Script,
        loading: &'a Loading<'a>,
        limit: Duration,
        request: &Request,
    ) -> Result<(Classification, bool), WorkerFailure> {
        Conversation::with(script, loading, limit, &Subject::None, |own| {
            let mut writer = own.begin(to_worker::CLASSIFY);
            documents::write_request(&mut writer, request, own);
            own.send(&writer);
            let frame = own.talk()?;
            let mut reader = Reader::new(&frame);
            match reader.byte() {
                Some(from_worker::CLASSIFICATION) => {
                    // The process may name any file: only lines of scripts that were loaded are shown.
                    let known = |file: &str| loading.scripts.sources.find(file).is_some();
                    documents::classification(&mut reader, own, &known).ok_or_else(|| own.wrong())
                }
                _ => Err(own.failed(&frame)),
            }
        })
    }

    /// The `dispatch` lines of a script.
    pub(crate) fn dispatches(
        script: &'a Script,
        loading: &'a Loading<'a>,
        limit: Duration,
    ) -> Result<Vec<Dispatch>, WorkerFailure> {
        Conversation::with(script, loading, limit, &Subject::None, |own| {
            own.send(&own.begin(to_worker::TOP));
            let frame = own.talk()?;
            let mut reader = Reader::new(&frame);
            match (reader.byte(), reader.number()) {
                (Some(from_worker::DISPATCHES), Some(count)) => (0..count)
                    .map(|_| {
                        let line = reader.text().zip(reader.text());
                        let (text, entry) = line.ok_or_else(|| own.wrong())?;
                        Dispatch::new(text, entry).map_err(|_| own.wrong())
                    })
                    .collect(),
                _ => Err(own.failed(&frame)),
            }
        })
    }

    /// Runs a policy on a catalog; its verdicts are added, also when it fails.
    pub(crate) fn policy(
        script: &'a Script,
        loading: &'a Loading<'a>,
        limit: Duration,
        catalog: &CatalogHandle,
        verdicts: &mut Vec<Verdict>,
    ) -> Result<(), WorkerFailure> {
        let subject = Subject::Catalog(SameWeak(Arc::downgrade(&catalog.0)));
        Conversation::with(script, loading, limit, &subject, |own| {
            let mut writer = own.begin(to_worker::POLICY);
            own.about(&subject, &mut writer, |writer| documents::write_catalog(writer, &catalog.0.catalog, own));
            own.send(&writer);
            let frame = own.talk()?;
            let mut reader = Reader::new(&frame);
            if reader.byte() != Some(from_worker::VERDICTS) {
                return Err(own.failed(&frame));
            }
            let said = documents::verdicts(&mut reader).ok_or_else(|| own.wrong())?;
            // Files of positions in imported scripts.
            for path in said.iter().filter_map(|verdict| verdict.location.0.as_deref()) {
                let _ = own.file(path);
            }
            verdicts.extend(said);
            match reader.byte() {
                Some(0) => Ok(()),
                Some(_) => Err(own.failed(reader.bytes().unwrap_or_default())),
                None => Err(own.wrong()),
            }
        })
    }

    /// The groups that a script declares.
    pub(crate) fn groups(
        script: &'a Script,
        loading: &'a Loading<'a>,
        limit: Duration,
    ) -> Result<GroupCollection, WorkerFailure> {
        Conversation::with(script, loading, limit, &Subject::None, |own| {
            let reading = loading.scripts.workers.as_ref().map_or(0, Workers::reading);
            let mut writer = own.begin(to_worker::GROUPS);
            writer.number(reading);
            own.send(&writer);
            let frame = own.talk()?;
            let mut reader = Reader::new(&frame);
            match reader.byte() {
                Some(from_worker::GROUPS) => {
                    let mut collected = documents::groups(&mut reader, own, reading).ok_or_else(|| own.wrong())?;
                    collected.read.retain(|path| own.may_read(path));
                    Ok(collected)
                }
                _ => Err(own.failed(&frame)),
            }
        })
    }

    /// The registrations of a script.
    pub(crate) fn registrations(
        script: &'a Script,
        loading: &'a Loading<'a>,
        limit: Duration,
    ) -> Result<Registrations, WorkerFailure> {
        Conversation::with(script, loading, limit, &Subject::None, |own| {
            own.send(&own.begin(to_worker::REGISTRATIONS));
            let frame = own.talk()?;
            let mut reader = Reader::new(&frame);
            match reader.byte() {
                Some(from_worker::REGISTRATIONS) => {
                    let mut found = documents::registrations(&mut reader, own).ok_or_else(|| own.wrong())?;
                    found.imported.retain(|path| own.may_read(path));
                    Ok(found)
                }
                _ => Err(own.failed(&frame)),
            }
        })
    }

    /// Runs the rule of a group (its index, and the number of the load) for a node.
    pub(crate) fn rule(
        script: &'a Script,
        loading: &'a Loading<'a>,
        limit: Duration,
        (number, reading): (u64, u64),
        request: &Request,
    ) -> Result<Value, WorkerFailure> {
        let same = |hash: &Arc<Hash>| SameWeak(Arc::downgrade(hash));
        let subject = Subject::Node(request.certname.clone(), same(&request.facts), same(&request.trusted));
        Conversation::with(script, loading, limit, &subject, |own| {
            let mut writer = own.begin(to_worker::RULE);
            writer.number(number).number(reading);
            own.about(&subject, &mut writer, |writer| documents::write_request(writer, request, own));
            own.send(&writer);
            own.value()
        })
    }

    /// The value that a script returns.
    fn value(&self) -> Result<Value, WorkerFailure> {
        let frame = self.talk()?;
        let mut reader = Reader::new(&frame);
        match reader.byte() {
            Some(from_worker::VALUE) => reader.value(self).ok_or_else(|| self.wrong()),
            Some(from_worker::NO_VALUE) => Err(WorkerFailure::NoValue(reader.text().unwrap_or_default().to_owned())),
            _ => Err(self.failed(&frame)),
        }
    }
}
