//! Parsing speed over real manifests: those of the system's module path where there is one, else the repository's own.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads its own input")]

use std::hint::black_box;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use catwalk_base::source::FileId;
use catwalk_base::source::SourceMap;
use catwalk_syntax as syntax;
use criterion::Criterion;
use criterion::Throughput;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "pp") {
            files.push(path);
        }
    }
}

fn manifests(sources: &SourceMap) -> (Vec<FileId>, u64) {
    let mut files = Vec::new();
    for directory in ["/usr/share/puppet/modules", concat!(env!("CARGO_MANIFEST_DIR"), "/modules")] {
        if files.is_empty() {
            collect(Path::new(directory), &mut files);
        }
    }
    files.sort();
    let mut bytes = 0;
    let ids = files
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .map(|text| {
            bytes += text.len() as u64;
            sources.add(None, "bench", Arc::from(text))
        })
        .collect();
    (ids, bytes)
}

fn main() {
    let sources = SourceMap::new();
    let (files, bytes) = manifests(&sources);
    println!("{} files, {bytes} bytes", files.len());
    let mut criterion = Criterion::default().configure_from_args().sample_size(20);
    let mut group = criterion.benchmark_group("manifests");
    group.throughput(Throughput::Bytes(bytes));
    group.bench_function("parse", |bench| {
        bench.iter(|| {
            for id in &files {
                black_box(syntax::parse_only(&sources, *id, false));
            }
        });
    });
    group.bench_function("parse and validate", |bench| {
        bench.iter(|| {
            for id in &files {
                black_box(syntax::parse(&sources, *id));
            }
        });
    });
    group.finish();
    criterion.final_summary();
}
