//! Open files: `File.open`, and the methods of the object that it returns.
//!
//! In: a path and a mode, or a call of a method. Out: the results of reads; writes change the file in memory
//! ([`crate::library::written_files`]). Must not: access the disk except through the world.

use std::rc::Rc;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::string_helpers;
use crate::library::files::STAT;
use crate::library::files::content_bytes;
use crate::library::written_files::PathEffect;
use crate::object::Method;
use crate::object::class::Arity;
use crate::value::Instance;
use crate::value::Rv;
use crate::value::object;
use catwalk_base::names::Name;

/// The class of open files.
pub(crate) const FILE: &str = "File";

/// The class of temporary files.
pub(super) const TEMPFILE: &str = "Tempfile";

/// `File.open(path, mode)`
pub(super) fn open_file(rt: &mut Interp<'_>, path: &str, mode: Option<&Rv>) -> Raise<Rv> {
    open_as(rt, FILE, path, mode)
}

/// An empty file as an object of `Tempfile`, open for reading and writing.
pub(super) fn open_temporary(rt: &mut Interp<'_>, path: &str) -> Raise<Rv> {
    open_as(rt, TEMPFILE, path, Some(&Rv::str("w+")))
}

fn open_as(rt: &mut Interp<'_>, class: &'static str, path: &str, mode: Option<&Rv>) -> Raise<Rv> {
    let mode = match mode {
        None => "r".to_owned(),
        Some(Rv::Str(mode)) => mode.borrow().clone(),
        Some(Rv::Hash(options)) => {
            options.get(&Rv::sym("mode")).and_then(|mode| mode.string_or_symbol()).unwrap_or("r".to_owned())
        }
        Some(_) => return rt.unsupported("File.open with this mode"),
    };
    let stream = match mode.chars().next() {
        Some('w' | 'a') => {
            rt.open_to_write(path, mode.starts_with('a'))?;
            Rv::Nil
        }
        _ if mode.contains('+') => {
            rt.read_file(path)?;
            rt.open_to_write(path, true)?;
            Rv::Nil
        }
        _ => {
            let content = Rv::from_bytes(rt.read_file(path)?);
            let class = rt.constant_path(None, "StringIO")?;
            rt.call_method(&class, "new", &[content], None)?
        }
    };
    let fields = [
        ("path", Rv::str(path)),
        ("mode", Rv::str(mode)),
        ("stream", stream),
        ("closed", Rv::False),
        ("at", Rv::Int(0)),
    ];
    Ok(object(class, &fields))
}

/// A method that reads. A file that is only read has a stream of its contents.
macro_rules! read {
    ($name:literal, $max:expr) => {
        Method::between($name, 0, $max, |rt, this, args, block| {
            let file = OpenFile::for_reading(rt, this)?;
            match file.field("stream") {
                Rv::Nil => file.read_from_position(rt, $name, args, block),
                stream => rt.call_method(&stream, $name, args, block),
            }
        })
    };
}

/// A method without effect on the contents.
macro_rules! no_effect {
    ($name:literal, $min:expr, $max:expr) => {
        Method::between($name, $min, $max, |rt, this, _, _| OpenFile::open(rt, this).map(|_| Rv::Int(0)))
    };
}

/// The methods of open files.
pub(super) const METHODS: &[Method] = &[
    Method::new("<<", 1, |rt, this, args, _| {
        write(rt, this, args)?;
        Ok(this.clone())
    }),
    no_effect!("binmode", 0, 0),
    no_effect!("chmod", 1, 1),
    no_effect!("chown", 2, 2),
    Method::new("close", 0, close),
    Method::new("closed?", 0, |rt, this, _, _| Ok(OpenFile::new(rt, this)?.field("closed"))),
    read!("each", Arity::ANY),
    read!("each_char", 0),
    read!("each_line", Arity::ANY),
    read!("eof?", 0),
    no_effect!("flock", 1, 1),
    no_effect!("flush", 0, 0),
    no_effect!("fsync", 0, 0),
    read!("getc", 0),
    read!("gets", Arity::ANY),
    read!("lineno", 0),
    Method::new("lstat", 0, stat),
    Method::new("path", 0, path),
    Method::new("pos", 0, position),
    Method::new("pos=", 1, seek),
    Method::at_least("print", 0, |rt, this, args, _| write(rt, this, args).map(|_| Rv::Nil)),
    Method::at_least("puts", 0, put_lines),
    read!("read", 2),
    read!("readline", Arity::ANY),
    read!("readlines", Arity::ANY),
    Method::new("rewind", 0, rewind),
    Method::between("seek", 1, 2, seek),
    no_effect!("set_encoding", 1, Arity::ANY),
    Method::new("size", 0, size),
    Method::new("stat", 0, stat),
    no_effect!("sync=", 1, 1),
    Method::new("syswrite", 1, |rt, this, args, _| write(rt, this, args)),
    Method::new("tell", 0, position),
    Method::new("to_path", 0, path),
    Method::new("truncate", 1, truncate),
    Method::at_least("write", 0, |rt, this, args, _| write(rt, this, args)),
];

/// The methods that `Tempfile` has besides.
pub(super) const TEMPORARY_METHODS: &[Method] = &[
    Method::between("close", 0, 1, close),
    Method::new("close!", 0, remove_and_close),
    Method::new("delete", 0, remove),
    Method::new("open", 0, reopen),
    Method::new("unlink", 0, remove),
];

fn path(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(OpenFile::new(rt, this)?.path))
}

/// `close`; with `true`, as `Tempfile` has it, the file is removed.
fn close(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let file = OpenFile::new(rt, this)?;
    if args.first().is_some_and(Rv::truthy) {
        rt.remove(&file.path);
    }
    file.set_field("closed", Rv::True);
    Ok(Rv::Nil)
}

fn remove(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let file = OpenFile::new(rt, this)?;
    rt.remove(&file.path);
    Ok(Rv::Nil)
}

fn remove_and_close(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    close(rt, this, &[Rv::True], None)
}

/// `open` of a `Tempfile` that was closed: reads and writes from its start.
fn reopen(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let file = OpenFile::new(rt, this)?;
    file.set_field("closed", Rv::False);
    file.set_field("at", Rv::Int(0));
    Ok(this.clone())
}

fn stat(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(object(STAT, &[("path", Rv::str(OpenFile::open(rt, this)?.path))]))
}

fn size(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let file = OpenFile::open(rt, this)?;
    Ok(Rv::int(rt.bytes_at(&file.path).map_or(0, |bytes| bytes.len())))
}

fn position(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let file = OpenFile::open(rt, this)?;
    match file.field("stream") {
        Rv::Nil => Ok(file.field("at")),
        stream => rt.call_method(&stream, "pos", &[], None),
    }
}

/// `seek(position)`, `pos = position`
fn seek(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let file = OpenFile::open(rt, this)?;
    match args {
        [at] if file.reads_and_writes() => file.set_field("at", at.clone()),
        _ => return rt.unsupported("File#seek"),
    }
    Ok(Rv::Int(0))
}

fn rewind(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let file = OpenFile::open(rt, this)?;
    match file.field("stream") {
        Rv::Nil if file.reads_and_writes() => file.set_field("at", Rv::Int(0)),
        Rv::Nil => return rt.unsupported("File#rewind"),
        stream => return rt.call_method(&stream, "rewind", &[], None),
    }
    Ok(Rv::Int(0))
}

fn truncate(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let file = OpenFile::for_writing(rt, this)?;
    let length = rt.expect_int(args.first().unwrap_or(&Rv::Nil))?;
    if let Some(PathEffect::File(bytes)) = rt.path_effect(&file.path) {
        bytes.borrow_mut().truncate(usize::try_from(length).unwrap_or(0));
    }
    Ok(Rv::Int(0))
}

/// Writes the arguments; returns the number of bytes.
fn write(rt: &mut Interp<'_>, this: &Rv, args: &[Rv]) -> Raise<Rv> {
    let file = OpenFile::for_writing(rt, this)?;
    let mut bytes = Vec::new();
    for value in args {
        bytes.extend(content_bytes(rt, Some(value))?);
    }
    file.write(rt, bytes)
}

/// `puts`: writes each argument as a line, of arrays each item.
fn put_lines(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let file = OpenFile::for_writing(rt, this)?;
    let flat = rt.call_method(&Rv::array(args.to_vec()), "flatten", &[], None)?;
    let mut bytes = if args.is_empty() { b"\n".to_vec() } else { Vec::new() };
    for value in rt.to_list(&flat)? {
        bytes.extend(content_bytes(rt, Some(&value))?);
        if bytes.last() != Some(&b'\n') {
            bytes.push(b'\n');
        }
    }
    file.write(rt, bytes)?;
    Ok(Rv::Nil)
}

/// An open file, with the fields of its Ruby object.
struct OpenFile<'o> {
    object: &'o Rc<Instance>,
    path: String,
    mode: String,
}

impl OpenFile<'_> {
    /// The file, which may be closed.
    fn new<'o>(rt: &mut Interp<'_>, this: &'o Rv) -> Raise<OpenFile<'o>> {
        let Rv::Object(object) = this else { return rt.type_error(this, FILE) };
        let string =
            |name: &str| object.ivars.borrow().get(&Name::new(name)).and_then(Rv::string_or_symbol).unwrap_or_default();
        Ok(OpenFile { object, path: string("path"), mode: string("mode") })
    }

    /// The file, which must be open.
    fn open<'o>(rt: &mut Interp<'_>, this: &'o Rv) -> Raise<OpenFile<'o>> {
        let file = OpenFile::new(rt, this)?;
        if file.field("closed").truthy() { rt.raise("IOError", "closed stream") } else { Ok(file) }
    }

    /// The file, which must be open for reading.
    fn for_reading<'o>(rt: &mut Interp<'_>, this: &'o Rv) -> Raise<OpenFile<'o>> {
        let file = OpenFile::open(rt, this)?;
        let reads = !file.writes() || file.reads_and_writes();
        if reads { Ok(file) } else { rt.raise("IOError", "not opened for reading") }
    }

    /// The file, which must be open for writing.
    fn for_writing<'o>(rt: &mut Interp<'_>, this: &'o Rv) -> Raise<OpenFile<'o>> {
        let file = OpenFile::open(rt, this)?;
        if file.writes() { Ok(file) } else { rt.raise("IOError", "not opened for writing") }
    }

    fn field(&self, name: &str) -> Rv {
        self.object.ivars.borrow().get(&Name::new(name)).cloned().unwrap_or(Rv::Nil)
    }

    fn set_field(&self, name: &str, value: Rv) {
        self.object.ivars.borrow_mut().insert(Name::new(name), value);
    }

    fn reads_and_writes(&self) -> bool {
        self.mode.contains('+')
    }

    fn writes(&self) -> bool {
        self.reads_and_writes() || !self.mode.starts_with('r')
    }

    /// Writes bytes at the position; returns their number.
    fn write(&self, rt: &mut Interp<'_>, bytes: Vec<u8>) -> Raise<Rv> {
        let length = bytes.len();
        rt.check_size(length)?;
        if let Some(PathEffect::File(content)) = rt.path_effect(&self.path) {
            let mut content = content.borrow_mut();
            let size = content.len();
            match self.field("at") {
                // Reading and writing share one position; only appending always goes to the end.
                Rv::Int(at) if self.reads_and_writes() && !self.mode.starts_with('a') => {
                    let from = usize::try_from(at).unwrap_or(0).min(size);
                    let to = (from + bytes.len()).min(size);
                    self.set_field("at", Rv::int(from + bytes.len()));
                    content.splice(from..to, bytes);
                }
                _ => {
                    content.extend(bytes);
                    self.set_field("at", Rv::int(content.len()));
                }
            }
        }
        Ok(Rv::int(length))
    }

    /// A read method of a file that is open for reading and writing: continues at the current position.
    fn read_from_position(&self, rt: &mut Interp<'_>, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
        let at = match self.field("at") {
            Rv::Int(at) => usize::try_from(at).unwrap_or(0),
            _ => 0,
        };
        let bytes = rt.read_file(&self.path)?;
        let unread = Rv::from_bytes(bytes.get(at..).unwrap_or_default().to_vec());
        let class = rt.constant_path(None, "StringIO")?;
        let stream = rt.call_method(&class, "new", std::slice::from_ref(&unread), None)?;
        let result = rt.call_method(&stream, name, args, block)?;
        let rest = rt.call_method(&stream, "read", &[], None)?;
        let rest = string_helpers::string_bytes(rt, &rest)?.len();
        self.set_field("at", Rv::int(bytes.len().saturating_sub(rest).max(at)));
        Ok(result)
    }
}
