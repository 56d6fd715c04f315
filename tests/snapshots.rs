//! The sample site: the catalog of each node equals its file in `snapshots/`. `cargo insta review` and `catwalk snapshot review`
//! show changes.

use std::path::Path;

use catwalk_snapshot::Suite;

#[test]
fn every_node_of_the_sample_site_has_its_catalog() {
    let suite = Suite::open(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let nodes = suite.session.nodes().unwrap();
    assert!(nodes.len() >= 5, "{nodes:?}");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(suite.store().root());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    // Every node is compared before the test fails, so that a review shows what changed on all of them.
    let mut changed = Vec::new();
    for node in nodes.keys().map(|name| name.to_string()) {
        let compare = || settings.bind(|| catwalk_snapshot::assert_catalog!(suite, node.as_str()));
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(compare)).is_err() {
            changed.push(node);
        }
    }
    assert!(changed.is_empty(), "catalogs differ from their snapshots: {changed:?}");
}
