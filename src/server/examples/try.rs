//! Serves one fixed catalog, to try real agents.
#![allow(clippy::unwrap_used, clippy::print_stderr, clippy::disallowed_methods)]
use catwalk_server::*;
use std::path::PathBuf;
use std::sync::Arc;
struct Site(PathBuf);
impl ServedSite for Site {
    fn search_paths(&self) -> Vec<PathBuf> {
        vec![self.0.clone()]
    }
    fn environments(&self) -> Vec<EnvironmentSettings> {
        vec![EnvironmentSettings {
            name: "production".into(),
            modulepath: vec![self.0.join("production/modules")],
            manifest: self.0.join("production/manifests"),
            config_version: None,
        }]
    }
    fn has_environment(&self, name: &str) -> bool {
        name == "production"
    }
    fn modules(&self, _: &str) -> Result<Vec<ModuleDirectory>, Failure> {
        let mut all: Vec<ModuleDirectory> = std::fs::read_dir(self.0.join("production/modules"))
            .unwrap()
            .map(|e| e.unwrap())
            .map(|e| ModuleDirectory { name: e.file_name().into_string().unwrap(), path: e.path() })
            .collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }
    fn node(&self, r: &NodeRequest) -> Result<Vec<u8>, Failure> {
        Ok(format!(r#"{{"name":"{}","parameters":{{}},"environment":"production"}}"#, r.client.certname).into_bytes())
    }
    fn catalog(&self, r: &CatalogRequest) -> Result<Vec<u8>, Failure> {
        eprintln!(
            "catalog for {:?} env {:?} check {} facts {:?} rich {}",
            r.client,
            r.environment,
            r.check_environment,
            r.facts.as_ref().map(|f| f.len()),
            r.rich_data
        );
        let body = std::fs::read_to_string(self.0.join("catalog.json"))
            .map_err(|e| Failure { kind: FailureKind::Failed, message: e.to_string() })?;
        Ok(body.replace("@NAME@", &r.client.certname).into_bytes())
    }
    fn save_facts(&self, _: &Client, _: &str, _: &[u8]) -> Result<(), Failure> {
        Ok(())
    }
    fn save_report(&self, c: &Client, e: &str, r: &[u8]) -> Result<Vec<String>, Failure> {
        eprintln!("report of {} in {e}: {} bytes", c.certname, r.len());
        Ok(vec!["store".into()])
    }
}
fn main() {
    let mut args = std::env::args().skip(1);
    let (dir, port) = (PathBuf::from(args.next().unwrap()), args.next().unwrap());
    let config = Config {
        certificates: CertificateSource::Authority(AuthorityConfig {
            directory: dir.join("ca"),
            certname: "localhost".into(),
            alt_names: vec!["127.0.0.1".into(), "puppet".into()],
            autosign: if args.next().is_some() { Autosign::Names(vec!["*.example.com".into()]) } else { Autosign::All },
            key_bits: 4096,
        }),
        puppet_version: "7.23.0".into(),
        limits: Limits::default(),
        log: Arc::new(|e| eprintln!("{e:?}")),
    };
    let (server, _handle) = Server::new(config, Arc::new(Site(dir.join("environments")))).unwrap();
    server.serve(vec![std::net::TcpListener::bind(format!("127.0.0.1:{port}")).unwrap()]).unwrap();
}
