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
use crate::value::Instance;
use crate::value::Rv;
use crate::value::object;
use catwalk_base::names::Name;

/// The class of open files.
pub(crate) const FILE: &str = "File";

/// `File.open(path, mode)`
pub(super) fn open_file(rt: &mut Interp<'_>, path: &str, mode: Option<&Rv>) -> Raise<Rv> {
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
    Ok(object(FILE, &fields))
}

/// An open file, with the fields of its Ruby object.
struct OpenFile<'o> {
    object: &'o Rc<Instance>,
    path: String,
    mode: String,
}

/// Methods of an open file.
pub(crate) fn call(
    rt: &mut Interp<'_>,
    this: &Rc<Instance>,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    let file = OpenFile::new(this);
    if let Some(result) = file.open_or_close(rt, name, args) {
        return Ok(Some(result));
    }
    if file.field("closed").truthy() {
        return rt.raise("IOError", "closed stream");
    }
    let (both, writes) = (file.reads_and_writes(), file.writes());
    Ok(Some(match name {
        "stat" | "lstat" => object(STAT, &[("path", Rv::str(file.path))]),
        "write" | "print" | "puts" | "<<" | "syswrite" if !writes => {
            return rt.raise("IOError", "not opened for writing");
        }
        "write" | "print" | "puts" | "<<" | "syswrite" => file.write(rt, name, args)?,
        "flush" | "fsync" | "sync=" | "binmode" | "chmod" | "chown" | "flock" | "set_encoding" => Rv::Int(0),
        "read" | "readlines" | "each_line" | "each" | "gets" | "readline" | "eof?" if writes && !both => {
            return rt.raise("IOError", "not opened for reading");
        }
        "truncate" if writes => {
            if let (Some(PathEffect::File(bytes)), Some(Rv::Int(length))) = (rt.path_effect(&file.path), args.first()) {
                bytes.borrow_mut().truncate(usize::try_from(*length).unwrap_or(0));
            }
            Rv::Int(0)
        }
        "rewind" if both => {
            file.set_field("at", Rv::Int(0));
            Rv::Int(0)
        }
        "seek" | "pos=" if both && args.len() == 1 => {
            file.set_field("at", args.first().cloned().unwrap_or(Rv::Nil));
            Rv::Int(0)
        }
        "pos" | "tell" if both => file.field("at"),
        "size" => Rv::int(rt.bytes_at(&file.path).map_or(0, |bytes| bytes.len())),
        other if crate::object::method_names::is_ruby_method(&Rv::Nil, other) => return Ok(None),
        // A file that is only read has a stream of its contents.
        other => match file.field("stream") {
            Rv::Nil if both => file.read_from_position(rt, other, args, block)?,
            Rv::Nil => return rt.unsupported(&format!("File#{other}")),
            stream => rt.call_method(&stream, other, args, block)?,
        },
    }))
}

impl OpenFile<'_> {
    fn new(object: &Rc<Instance>) -> OpenFile<'_> {
        let string =
            |name: &str| object.ivars.borrow().get(&Name::new(name)).and_then(Rv::string_or_symbol).unwrap_or_default();
        OpenFile { object, path: string("path"), mode: string("mode") }
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

    /// Methods that a closed file has, too; `None` for other methods.
    fn open_or_close(&self, rt: &mut Interp<'_>, name: &str, args: &[Rv]) -> Option<Rv> {
        Some(match name {
            "path" | "to_path" => Rv::str(self.path.as_str()),
            "closed?" => self.field("closed"),
            "close" | "close!" | "unlink" | "delete" => {
                if name != "close" || args.first().is_some_and(Rv::truthy) {
                    rt.remove(&self.path);
                }
                if name.starts_with("close") {
                    self.set_field("closed", Rv::True);
                }
                Rv::Nil
            }
            "open" => {
                self.set_field("closed", Rv::False);
                self.set_field("at", Rv::Int(0));
                Rv::Object(self.object.clone())
            }
            _ => return None,
        })
    }

    /// `write`, `print`, `puts` and `<<` of a file that is open for writing.
    fn write(&self, rt: &mut Interp<'_>, name: &str, args: &[Rv]) -> Raise<Rv> {
        let bytes = bytes_to_write(rt, name, args)?;
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
        Ok(match name {
            "<<" => Rv::Object(self.object.clone()),
            "write" | "syswrite" => Rv::int(length),
            _ => Rv::Nil,
        })
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

/// The bytes that `write` and similar methods write for their arguments; `puts` ends each with a newline.
fn bytes_to_write(rt: &mut Interp<'_>, name: &str, args: &[Rv]) -> Raise<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut values = Vec::new();
    for arg in args {
        match arg {
            // `puts` writes the items of arrays one by one.
            Rv::Array(_) if name == "puts" => {
                let flat = rt.call_method(arg, "flatten", &[], None)?;
                values.extend(rt.to_list(&flat)?);
            }
            other => values.push(other.clone()),
        }
    }
    for value in &values {
        bytes.extend(content_bytes(rt, Some(value))?);
        if name == "puts" && bytes.last() != Some(&b'\n') {
            bytes.push(b'\n');
        }
    }
    if name == "puts" && args.is_empty() {
        bytes.push(b'\n');
    }
    Ok(bytes)
}
