# Modules whose manifests do not parse or do not validate; a node that does not need them compiles.
node 'does-not' { notify { 'fine': } }
node 'bracket' { include bad_bracket }
node 'in-template' { include bad_template }
node 'top-level' { include bad_top_level }
node 'misnamed' { include bad_named }
node 'misnamed-inner' { include bad_named::inner }
node 'unknown-type' { include bad_type }
node 'virtual-class' { include bad_virtual_class }
node 'reference-empty' { include bad_reference_empty }
node 'collector-lower' { include bad_collector_lower }
node 'compare-undef' { include bad_compare_undef }
node 'compare-mixed' { include bad_compare_mixed }
