//! Rules beyond the recorded answers of Puppet (`tests/ldap`).

use parking_lot::Mutex;

use super::*;
use catwalk_base::secrets::SecretCollection;
use catwalk_world::WorldError;

/// A directory that finds entries by the name in the filter `(cn=NAME)`, and notes the searches.
#[derive(Default)]
struct Directory {
    entries: Vec<(&'static str, LdapEntry)>,
    searches: Mutex<Vec<LdapSearch>>,
    secrets: Arc<SecretCollection>,
}

impl Directory {
    fn with(mut self, name: &'static str, attributes: &[(&str, &[&str])]) -> Directory {
        let values = |values: &[&str]| values.iter().map(|value| Arc::from(value.as_bytes())).collect();
        let attributes = attributes.iter().map(|(name, all)| ((*name).to_owned(), values(all))).collect();
        self.entries.push((name, LdapEntry { dn: format!("cn={name},dc=example"), attributes }));
        self
    }

    fn filters(&self) -> Vec<String> {
        self.searches.lock().iter().map(|search| search.filter.clone()).collect()
    }
}

impl World for Directory {
    fn below(&self) -> Option<&dyn World> {
        None
    }

    fn secrets(&self) -> &Arc<SecretCollection> {
        &self.secrets
    }

    fn search_ldap(&self, search: &LdapSearch, _: &SecretCollection) -> Result<Arc<[LdapEntry]>, WorldError> {
        self.searches.lock().push(search.clone());
        let found = self.entries.iter().filter(|(name, _)| search.filter == format!("(cn={name})"));
        Ok(found.map(|(_, entry)| entry.clone()).collect())
    }
}

fn settings() -> LdapSettings {
    LdapSettings { filter: "(cn=%s)".to_owned(), ..LdapSettings::default() }
}

fn classify(directory: &Directory, settings: LdapSettings, name: &str) -> Result<Classification, String> {
    let request = Request {
        certname: Arc::from(name),
        environment: Arc::from("production"),
        facts: Arc::default(),
        trusted: Arc::default(),
    };
    Ldap { settings }.classify(&request, directory).map_err(|failure| failure.message.to_string())
}

#[test]
fn names_are_searched_from_the_full_one_to_the_default() {
    let directory = Directory::default();
    let failure = classify(&directory, settings(), "a*(b).example.com").unwrap_err();
    assert_eq!(failure, "Could not find node 'a*(b).example.com'; cannot compile");
    let escaped = [r"(cn=a\2a\28b\29.example.com)", r"(cn=a\2a\28b\29)", "(cn=default)"];
    assert_eq!(directory.filters(), escaped);
    assert_eq!(names("web1."), ["web1.", "default"]);
}

#[test]
fn a_nearer_entry_wins_and_is_the_origin() {
    let directory = Directory::default()
        .with(
            "n",
            &[
                ("parentNode", &["p"]),
                ("puppetClass", &["a", "b"]),
                ("puppetVar", &["x=1", "cn=other"]),
                ("cn", &["n"]),
            ],
        )
        .with("p", &[("puppetClass", &["b", "c"]), ("PUPPETVAR", &["x=2", "y=true"]), ("environment", &["test"])]);
    let found = classify(&directory, settings(), "n").unwrap();
    assert_eq!(found.classes.keys().map(AsRef::as_ref).collect::<Vec<_>>(), ["a", "b", "c"]);
    let value = |name: &str| found.parameters.get(name).cloned();
    assert_eq!((value("x"), value("y")), (Some(Value::str("1")), Some(Value::Bool(true))));
    assert_eq!((value("cn"), value("environment")), (Some(Value::str("n")), None));
    assert_eq!(found.environment.as_deref(), Some("test"));
    let origin = |part| found.origins.get(&part).map(AsRef::as_ref);
    assert_eq!(origin(ClassificationPart::Class(Arc::from("b"))), Some("cn=n,dc=example"));
    assert_eq!(origin(ClassificationPart::Class(Arc::from("c"))), Some("cn=p,dc=example"));
    assert_eq!(origin(ClassificationPart::Variable(Arc::from("x"))), Some("cn=n,dc=example"));
    assert_eq!(origin(ClassificationPart::Environment), Some("cn=p,dc=example"));
}

#[test]
fn only_named_attributes_are_requested() {
    let directory = Directory::default().with("n", &[]);
    let named = LdapSettings { attributes: Some(vec!["l".to_owned()]), ..settings() };
    classify(&directory, named, "n").unwrap();
    classify(&directory, settings(), "n").unwrap();
    let searches = directory.searches.lock();
    let attributes: Vec<&[String]> = searches.iter().map(|search| search.attributes.as_slice()).collect();
    assert_eq!(attributes, [&["puppetclass", "l", "parentnode"].map(str::to_owned)[..], &[]]);
}

#[test]
fn parents_end() {
    let directory = Directory::default()
        .with("a", &[("parentnode", &["b"])])
        .with("b", &[("parentnode", &["a"])])
        .with("c", &[("parentnode", &["nobody"])])
        .with("d", &[("environment", &["one", "two"])]);
    for (name, expected) in [
        ("a", "Failed when searching for node a: Found loop in LDAP node parents; a appears twice"),
        ("c", "Failed when searching for node c: Could not find parent node 'nobody'"),
        ("d", "Failed when searching for node d: Node entry cn=d,dc=example specifies more than one environment"),
    ] {
        assert_eq!(classify(&directory, settings(), name).unwrap_err(), expected);
    }
    let mut long = Directory::default();
    let names: Vec<&'static str> = (0..=MAX_PARENTS + 1).map(|number| &*format!("p{number}").leak()).collect();
    for pair in names.windows(2) {
        long = long.with(pair[0], &[("parentnode", &[pair[1]])]);
    }
    let failure = classify(&long, settings(), "p0").unwrap_err();
    assert_eq!(failure, "Failed when searching for node p0: the node has more than 100 parents");
}

#[test]
fn the_common_name_of_a_dn_is_found_as_in_puppet() {
    for (dn, name) in [
        ("cn=web1.example.com,ou=Hosts", Some("web1.example.com")),
        ("CN = web1 ,ou=Hosts", Some("web1")),
        ("uid=x,ou=Hosts", None),
        ("uid=x,cn=hosts", Some("hosts")),
        ("cn=,cn=a", Some("a")),
        ("ou=Köln,cn=ß", Some("ß")),
    ] {
        assert_eq!(common_name(dn).as_deref(), name, "{dn}");
    }
}
