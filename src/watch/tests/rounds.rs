//! Rounds of `watch` through the interface of the crate: without options of commands and without a terminal.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use catwalk_base::diag::Reason;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_session::update::State;
use catwalk_watch::ExecResult;
use catwalk_watch::Follower;
use catwalk_watch::Idle;
use catwalk_watch::RoundResult;
use catwalk_watch::WatchOptions;
use catwalk_watch::WatchOutput;
use catwalk_world::Disk;

/// Records what an output receives.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<String>>>);

impl Recorder {
    fn add(&self, event: String) {
        self.0.lock().unwrap().push(event);
    }
}

impl WatchOutput for Recorder {
    fn begin(&mut self, nodes: usize) {
        self.add(format!("begins with {nodes} nodes"));
    }

    fn round(&mut self, result: &RoundResult<'_>) {
        let names: Vec<&str> = result.updates.iter().map(|update| &*update.certname).collect();
        self.add(format!("round of {}, after an edit: {}", names.join(", "), result.edit));
    }

    fn report(&mut self, reason: Reason, _: bool) {
        self.add(reason.message.into_owned());
    }

    fn report_repair(&mut self) {
        self.add("repaired".to_owned());
    }

    fn show_command(&mut self, result: &ExecResult) {
        self.add(format!("the command printed {}", result.output.trim()));
    }

    fn idle(&mut self, _: &Session, _: &State) -> Idle {
        Idle::Done
    }
}

#[test]
fn an_edit_compiles_the_nodes_that_it_affects() {
    let site = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(site.path().join(name), text).unwrap();
    std::fs::create_dir(site.path().join("nodes")).unwrap();
    write("catwalk.toml", "manifest = \"site.pp\"\nnodes = \"nodes\"\n");
    write("site.pp", "node 'db1' { notify { 'a': } }\nnode 'web1' { notify { 'b': } }\n");
    write("nodes/db1.json", "{}");
    write("nodes/web1.json", "{}");
    let recorder = Recorder::default();
    let options = WatchOptions {
        poll: Some(Duration::from_millis(20)),
        exec: Some("echo \"$@\"".to_owned()),
        once: true,
        ..WatchOptions::default()
    };
    let root = site.path().canonicalize().unwrap();
    let output = recorder.clone();
    let code = catwalk_base::stack::with_large(|| {
        let site = Options { root: Some(root), ..Options::default() };
        let mut open_output = |_: &Session, _| -> Result<Box<dyn WatchOutput>, Reason> { Ok(Box::new(output.clone())) };
        let mut follower = Follower::open(options, site, Arc::new(Disk::new()), &mut open_output).unwrap();
        follower.compile_all().unwrap();
        write("site.pp", "node 'db1' { notify { 'a': } }\nnode 'web1' { notify { 'changed': } }\n");
        loop {
            let changes = follower.wait().unwrap().unwrap();
            if follower.refresh(&changes)
                && let Some(compiled) = follower.compile().unwrap()
                && let Some(code) = follower.show(&compiled)
            {
                return code;
            }
        }
    });
    assert_eq!(code.unwrap(), 0);
    let events = recorder.0.lock().unwrap();
    assert_eq!(
        events.as_slice(),
        [
            "begins with 2 nodes",
            "round of db1, web1, after an edit: false",
            "begins with 2 nodes",
            "round of web1, after an edit: true",
            "the command printed web1",
        ]
    );
}
