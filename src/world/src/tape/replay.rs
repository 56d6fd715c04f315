//! A world that replays the answers of a tape, or records those of the real world.
//!
//! In: a question. Out: the recorded answer, or when recording that of the world below. Must not: access the file.

use super::Tape;
use super::lock;
use crate::Command;
use crate::HttpRequest;
use crate::HttpResponse;
use crate::LdapEntry;
use crate::LdapSearch;
use crate::Output;
use crate::World;
use crate::WorldError;
use crate::dns::Answer;
use crate::dns::Question;
use crate::tape::recording::Bytes;
use crate::tape::recording::CommandAnswer;
use crate::tape::recording::DnsAnswer;
use crate::tape::recording::EntryAnswer;
use crate::tape::recording::LdapAnswer;
use crate::tape::recording::PageAnswer;
use crate::tape::recording::PuppetDbAnswer;
use crate::tape::recording::Recording;
use crate::tape::recording::nth;
use crate::tape::recording::timestamp;
use catwalk_base::secrets::SecretCollection;
use std::sync::Arc;
use std::time::Duration;

impl World for Tape {
    fn below(&self) -> Option<&dyn World> {
        Some(self.inner.as_ref())
    }

    fn secrets(&self) -> &Arc<SecretCollection> {
        self.inner.secrets()
    }

    fn env(&self, name: &str) -> Option<Arc<str>> {
        if self.tapes.is_recording() {
            let answer = self.inner.env(name);
            let value = answer.as_deref().map_or(serde_json::Value::Null, |text| self.tapes.to_portable(text).into());
            lock(&self.tapes.common).env.insert(name.to_owned(), value);
            return answer;
        }
        match self.next(|recording, _| recording.env.get(name).cloned()) {
            Some(serde_json::Value::String(text)) => Some(Arc::from(self.tapes.to_local(&text))),
            Some(_) => None,
            None => {
                self.report_unanswered("env", &serde_json::json!({ name: "VALUE, or null" }));
                None
            }
        }
    }

    /// A replay has the variables that were read when it was recorded.
    fn env_names(&self) -> Vec<Arc<str>> {
        if self.tapes.is_recording() {
            return self.inner.env_names();
        }
        let set_variables = |recording: &Recording| -> Vec<Arc<str>> {
            recording.env.iter().filter(|(_, value)| value.is_string()).map(|(name, _)| Arc::from(&**name)).collect()
        };
        let mut names = set_variables(&lock(&self.node_recording).0);
        names.extend(set_variables(&lock(&self.tapes.common)));
        names.sort_unstable();
        names.dedup();
        names
    }

    fn run(&self, command: &Command) -> Result<Output, WorldError> {
        let argv: Vec<String> = command.argv.iter().map(|word| self.tapes.to_portable(word)).collect();
        let stdin = command.stdin.as_deref().map(|text| self.tapes.to_portable(text));
        if self.tapes.is_recording() {
            let answer = self.inner.run(command);
            let mut ran = CommandAnswer { argv, stdin, ..CommandAnswer::default() };
            match &answer {
                Ok(output) => {
                    ran.status = output.status;
                    (ran.stdout, ran.stderr) = (Bytes::new(&output.stdout), Bytes::new(&output.stderr));
                }
                Err(WorldError::Unreadable(_, why) | WorldError::NotExecutable(_, why)) => {
                    ran.error = Some(why.to_string())
                }
                Err(refused) => ran.error = Some(refused.to_string()),
            }
            self.record(|recording| recording.run.push(ran));
            return answer;
        }
        let question = match &stdin {
            Some(stdin) => serde_json::json!({ "argv": argv, "stdin": stdin }),
            None => serde_json::json!({ "argv": argv }),
        };
        match self.entry(&question, |recording| &recording.run, |ran| ran.argv == argv && ran.stdin == stdin) {
            None => Err(self.report_unanswered("run", &question)),
            Some(CommandAnswer { error: Some(why), .. }) => {
                let program = command.argv.first().map_or("", String::as_str);
                Err(WorldError::from_recorded_message(program, &why))
            }
            Some(ran) => Ok(Output {
                status: ran.status,
                stdout: self.tapes.localize(&ran.stdout),
                stderr: self.tapes.localize(&ran.stderr),
            }),
        }
    }

    fn now(&self) -> Duration {
        if self.tapes.is_recording() {
            let now = self.inner.now();
            self.record(|recording| recording.time.extend(timestamp(now)));
            return now;
        }
        let Some(text) = self.next(|recording, position| nth(&recording.time, &mut position.time).cloned()) else {
            self.report_unanswered("time", &serde_json::json!(["2026-03-01T12:00:00Z"]));
            return Duration::ZERO;
        };
        let time = text.parse::<jiff::Timestamp>().ok();
        time.and_then(|time| Duration::try_from(time.as_duration()).ok()).unwrap_or_else(|| {
            self.report_unanswered(
                "time",
                &serde_json::json!(format!("{text} is not a time like 2026-03-01T12:00:00Z")),
            );
            Duration::ZERO
        })
    }

    fn random(&self) -> u128 {
        if self.tapes.is_recording() {
            let random = self.inner.random();
            self.record(|recording| recording.random.push(format!("{random:032x}")));
            return random;
        }
        let Some(text) = self.next(|recording, position| nth(&recording.random, &mut position.random).cloned()) else {
            self.report_unanswered("random", &serde_json::json!(["0123456789abcdef"]));
            return 0;
        };
        u128::from_str_radix(&text, 16).unwrap_or_else(|_| {
            self.report_unanswered("random", &serde_json::json!(format!("{text} is not a hexadecimal number")));
            0
        })
    }

    fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, WorldError> {
        let login = request.login.as_ref().map(|(name, _)| name.clone());
        let post =
            request.post.as_ref().map(|text| serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into()));
        if self.tapes.is_recording() {
            let answer = self.inner.fetch(request);
            let mut page = PageAnswer { url: request.url.clone(), login, post, ..PageAnswer::default() };
            match &answer {
                Ok(fetched) => (page.status, page.body) = (fetched.status, Bytes::new(&fetched.body)),
                Err(WorldError::Unreachable(_, why)) => page.error = Some(why.to_string()),
                Err(refused) => page.error = Some(refused.to_string()),
            }
            self.record(|recording| recording.http.push(page));
            return answer;
        }
        let mut question = serde_json::json!({ "url": request.url });
        if let (Some(post), Some(members)) = (&post, question.as_object_mut()) {
            members.insert("post".to_owned(), post.clone());
        }
        match self.entry(&question, |recording| &recording.http, |page| page.url == request.url && page.post == post) {
            None => Err(self.report_unanswered("http", &question)),
            Some(PageAnswer { error: Some(why), .. }) => {
                Err(WorldError::Unreachable(Arc::from(request.url.as_str()), Arc::from(why)))
            }
            Some(page) => Ok(HttpResponse { status: page.status, body: page.body.bytes() }),
        }
    }

    fn resolve(&self, question: &Question) -> Result<Answer, WorldError> {
        let record = question.record.to_string();
        if self.tapes.is_recording() {
            let answer = self.inner.resolve(question);
            let mut named = DnsAnswer {
                record,
                name: question.name.clone(),
                servers: question.servers.clone(),
                ..DnsAnswer::default()
            };
            match &answer {
                Ok(found) => named.answer = found.iter().map(ToString::to_string).collect(),
                Err(refused) => named.error = Some(refused.to_string()),
            }
            self.record(|recording| recording.dns.push(named));
            return answer;
        }
        let key = serde_json::json!({ "record": record, "name": question.name });
        let matches = |named: &DnsAnswer| {
            named.record == record && named.name == question.name && named.servers == question.servers
        };
        match self.entry(&key, |recording| &recording.dns, matches) {
            None => Err(self.report_unanswered("dns", &key)),
            Some(DnsAnswer { error: Some(why), .. }) => Err(WorldError::NotAllowed(Arc::from(why))),
            Some(named) => Ok(named.answer.into_iter().map(Arc::from).collect()),
        }
    }

    fn search_ldap(&self, search: &LdapSearch, secrets: &SecretCollection) -> Result<Arc<[LdapEntry]>, WorldError> {
        let LdapSearch { url, base, scope, filter, attributes, .. } = search;
        let login = search.login.as_ref().map(|(name, _)| name.as_str());
        if self.tapes.is_recording() {
            let answer = self.inner.search_ldap(search, secrets);
            let mut searched = LdapAnswer {
                url: url.clone(),
                login: login.map(str::to_owned),
                base: base.clone(),
                scope: scope.as_str().to_owned(),
                filter: filter.clone(),
                attributes: attributes.clone(),
                ..LdapAnswer::default()
            };
            match &answer {
                Ok(entries) => searched.entries = entries.iter().map(EntryAnswer::new).collect(),
                Err(WorldError::Unreachable(_, why)) => searched.error = Some(why.to_string()),
                Err(refused) => searched.error = Some(refused.to_string()),
            }
            self.record(|recording| recording.ldap.push(searched));
            return answer;
        }
        let mut question = serde_json::json!({ "url": url, "base": base, "filter": filter });
        if let Some(members) = question.as_object_mut() {
            members.extend(login.map(|login| ("login".to_owned(), login.into())));
            members.extend((scope.as_str() != "sub").then(|| ("scope".to_owned(), scope.as_str().into())));
            members.extend((!attributes.is_empty()).then(|| ("attributes".to_owned(), attributes.as_slice().into())));
        }
        let matches = |searched: &LdapAnswer| {
            (&searched.url, &searched.base, &searched.filter, &searched.attributes) == (url, base, filter, attributes)
                && (searched.scope.as_str(), searched.login.as_deref()) == (scope.as_str(), login)
        };
        match self.entry(&question, |recording| &recording.ldap, matches) {
            None => Err(self.report_unanswered("ldap", &question)),
            Some(LdapAnswer { error: Some(why), .. }) => {
                Err(WorldError::Unreachable(Arc::from(url.as_str()), Arc::from(why)))
            }
            Some(searched) => Ok(searched.entries.into_iter().map(EntryAnswer::entry).collect()),
        }
    }

    fn has_puppetdb(&self) -> bool {
        !self.tapes.is_recording() || self.inner.has_puppetdb()
    }

    fn puppetdb(&self, query: &serde_json::Value) -> Result<serde_json::Value, WorldError> {
        if self.tapes.is_recording() {
            let answer = self.inner.puppetdb(query);
            let mut queried = PuppetDbAnswer { query: query.clone(), ..PuppetDbAnswer::default() };
            match &answer {
                Ok(value) => queried.answer = value.clone(),
                Err(WorldError::Unreachable(_, why)) => queried.error = Some(why.to_string()),
                Err(refused) => queried.error = Some(refused.to_string()),
            }
            self.record(|recording| recording.puppetdb.push(queried));
            return answer;
        }
        let question = serde_json::json!({ "query": query });
        match self.entry(&question, |recording| &recording.puppetdb, |queried| queried.query == *query) {
            None => Err(self.report_unanswered("puppetdb", &question)),
            Some(PuppetDbAnswer { error: Some(why), .. }) => {
                Err(WorldError::Unreachable(Arc::from("PuppetDB"), Arc::from(why)))
            }
            Some(queried) => Ok(queried.answer),
        }
    }
}
