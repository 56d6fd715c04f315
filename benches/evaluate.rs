//! Evaluation alone: expressions, functions and blocks of a manifest that declares nothing. `cargo bench --bench evaluate`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a benchmark")]

use std::sync::Arc;

use catwalk_session::Options;
use catwalk_session::STACK;
use catwalk_session::Session;
use catwalk_world::Disk;
use criterion::Criterion;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A name, and code that takes some hundreds of microseconds.
const PROGRAMS: [(&str, &str); 6] = [
    ("arithmetic", "$sum = Integer[1, 1000].reduce(0) |$sum, $n| { $sum + $n * 3 - $n / 2 + ($n << 1) % 7 }"),
    ("variables and conditions", "
        Integer[1, 300].each |$n| {
          $half = $n / 2
          $kind = $half ? { 0 => 'none', 1 => 'one', default => 'many' }
          if $kind == 'many' and $half > 10 { $size = 'large' } elsif $n == 1 { $size = 'small' } else { $size = 'middle' }
          $shown = case $size { /^l/: { $kind } 'small', 'middle': { $size } default: { fail('never') } }
        }"),
    ("texts", "
        $lines = Integer[1, 300].map |$n| {
          $name = sprintf('host%03d', $n)
          \"${name}.example.com ${name.upcase} ${regsubst($name, '0', '-', 'G')} ${name[-3, 3]} ${$n + 1}\"
        }
        $text = $lines.join(\"\\n\")"),
    ("collections", "
        $all = Integer[1, 300].map |$n| { { 'name' => \"n${n}\", 'value' => $n, 'tags' => ['a', \"t${$n % 5}\"] } }
        $some = $all.filter |$one| { $one['value'] % 3 == 0 }
        $index = Hash($some.map |$one| { [$one['name'], $one['tags'] + ['x']] })
        $merged = $index.reduce({}) |$memo, $pair| { $memo + { $pair[1][1] => $pair[0] } }"),
    ("types", "
        Integer[1, 300].each |$n| {
          $fits = [$n =~ Integer[1, 200], \"t${n}\" =~ Pattern[/1/], [$n] =~ Array[Integer, 1], { 'a' => $n } =~ Struct[{ a => Integer }]]
          $which = $n ? { Integer[1, 10] => 'low', Integer => 'high' }
        }"),
    ("functions of the language", "
        function twice(Integer $n, Integer $by = 2) >> Integer { $n * $by }
        Integer[1, 500].each |$n| { $a = twice($n) $b = twice($n, 3) }"),
];

fn run() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(30);
    let mut group = criterion.benchmark_group("evaluate");
    for (name, code) in PROGRAMS {
        let options = Options { code: Some(code.to_owned()), ..Options::default() };
        let session = Session::open(options, Arc::new(Disk::new())).unwrap();
        group.bench_function(name, |bench| {
            bench.iter(|| {
                session.compile("web1.example.com").result.unwrap_or_else(|error| panic!("{}", error.message))
            });
        });
    }
    group.finish();
    criterion.final_summary();
}

fn main() {
    std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
}
