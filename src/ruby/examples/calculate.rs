//! Runs Ruby without Puppet: `cargo run -p catwalk-ruby --example calculate -- 'Units.inches(2.54) + 1'`.
//!
//! The host adds a module `Units` with one function.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "an example")]

use std::rc::Rc;

use catwalk_base::names::Name;
use catwalk_base::source::FileId;
use catwalk_base::source::Span;
use catwalk_base::stack;
use catwalk_ruby::Blk;
use catwalk_ruby::Host;
use catwalk_ruby::Interp;
use catwalk_ruby::ProgramState;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_ruby::Setup;
use catwalk_world::Disk;
use catwalk_world::World;

struct Calculator {
    world: Disk,
}

impl Host for Calculator {
    fn world(&self) -> &dyn World {
        &self.world
    }

    fn constant(&self, path: &str) -> Option<Rv> {
        (path == "Units").then(|| Rv::Class(Name::new(path)))
    }

    fn call_class(
        &mut self,
        program: &mut ProgramState,
        class: Name,
        name: &str,
        args: &[Rv],
        _: Blk<'_>,
    ) -> Raise<Option<Rv>> {
        match (class.as_str(), name, args) {
            ("Units", "inches", [Rv::Float(centimetres)]) => Ok(Some(Rv::float(centimetres.get() / 2.54))),
            ("Units", "inches", _) => Interp::new(self, program).raise("ArgumentError", "a Float is required"),
            _ => Ok(None),
        }
    }
}

fn calculate(source: &str) -> String {
    let mut host = Calculator { world: Disk::new() };
    let (span, file) = (Span::new(FileId(0), 0, 0), Rc::from("argument"));
    let mut program = ProgramState::new(Setup::default(), Rc::default(), span, file);
    let mut ruby = Interp::new(&mut host, &mut program);
    let result = ruby.run(source).and_then(|value| ruby.inspect(&value));
    result.unwrap_or_else(|thrown| ruby.describe(thrown))
}

fn main() {
    let source = std::env::args().nth(1).unwrap_or_else(|| "Units.inches(2.54) + 1".to_owned());
    // Ruby code may nest deep.
    println!("{}", stack::with_large(|| calculate(&source)).unwrap());
}
