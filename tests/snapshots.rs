//! The sample site: the catalog of each of its nodes is what `snapshots/` says. `cargo insta review` shows a change.

use std::path::Path;
use std::sync::Arc;

use catwalk::session::Options;
use catwalk::session::Session;
use catwalk::wire;
use catwalk::world::Disk;

#[test]
fn every_node_of_the_sample_site_has_its_catalog() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let options = Options { root: Some(root.to_path_buf()), ..Options::default() };
    let session = Session::open(options, Arc::new(Disk::new())).unwrap();
    let nodes: Vec<Arc<str>> = session.nodes().unwrap().into_keys().collect();
    assert!(nodes.len() >= 5, "{nodes:?}");
    let compiled = session.compile_all(&nodes, &|_| ());
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(session.site.snapshots.as_ref().unwrap());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    // Every node is compared before the test fails, so that a review shows what changed on all of them.
    let mut changed = Vec::new();
    for node in compiled {
        let catalog = node.result.unwrap_or_else(|error| panic!("{}: {}", node.certname, error.message));
        let text = wire::canonical::write(&catalog, &root.to_string_lossy()).unwrap();
        settings.set_description(format!("Catalog of {}", node.certname));
        let compare = || settings.bind(|| insta::assert_snapshot!(node.certname.to_string(), text));
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(compare)).is_err() {
            changed.push(node.certname);
        }
    }
    assert!(changed.is_empty(), "catalogs differ from their snapshots: {changed:?}");
}
