//! `catwalk eyaml edit`: edits a data file with decrypted values. Blocks whose values stay keep their bytes.

use std::io::BufRead;
use std::io::IsTerminal;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::eyaml::KeyArgs;
use crate::cli::options;
use crate::cli::signals;
use catwalk_base::diag::Reason;
use catwalk_base::diag::visible;
use catwalk_eyaml::DataFile;
use catwalk_eyaml::Editor;
use catwalk_eyaml::Keys;
use catwalk_eyaml::count;
use catwalk_eyaml::decrypt;
use catwalk_eyaml::private_keys;
use catwalk_eyaml::value_error;
use catwalk_hiera::eyaml::Decrypted;
use catwalk_hiera::eyaml::EditError;
use catwalk_hiera::eyaml::blocks;
use catwalk_value::data::yaml;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;

/// The first lines of the text to edit, with the prefix of hiera-eyaml.
const PREAMBLE: &str = "\
# | Lines that begin with `# |` up here are removed when you save and leave the editor.
# | Change a value:  replace the text between the brackets of DEC(1)::PKCS7[...]!, and leave the number.
# | Encrypt a new value:  DEC::PKCS7[the value]!  without a number.
";

/// The text of a new file.
const NEW: &[u8] = b"---\n";

/// Arguments of `eyaml edit`.
#[derive(Args, Debug)]
pub struct Edit {
    /// The data file; one that does not exist is created
    pub file: PathBuf,
    /// Leave out the explanation at the top of the text
    #[arg(long)]
    pub no_preamble: bool,
    /// Leave encrypted values as they are, which needs no private key; new ones are encrypted
    #[arg(long, short = 'd')]
    pub no_decrypt: bool,
    #[command(flatten)]
    pub key_args: KeyArgs,
}

/// Edits the file.
pub(super) fn run(args: &Edit, logger: &Logger) -> Result<(), Reason> {
    let world = Disk::new();
    let key_options = args.key_args.options()?;
    let keys = Keys::open(&key_options, &world)?;
    let is_new = world.kind(&options::absolute(&args.file)?) == Kind::Missing;
    let here = &key_options.here;
    let file = if is_new { DataFile::new(&args.file, NEW, here) } else { DataFile::read(&args.file, here)? };
    file.refuse_link(&world)?;
    let public = keys.public(Some(&file.path))?;
    let found = if args.no_decrypt { Vec::new() } else { blocks(&file.bytes) };
    let private = private_keys(&found, || keys.private(Some(&file.path)))?;
    let decrypted = Decrypted::new(&file.bytes, found, |block| match block.method.as_str() {
        "PKCS7" => decrypt(&private, block, &file).map(Some),
        _ => Ok(None),
    })?;
    let before = decrypted.text(true);
    let mut text = zeroize::Zeroizing::new(Vec::with_capacity(before.len() + PREAMBLE.len()));
    if !args.no_preamble {
        text.extend_from_slice(PREAMBLE.as_bytes());
    }
    text.extend_from_slice(&before);
    let editor = Editor::open(&text, &world)?;
    let encrypted = loop {
        let text = editor.run()?;
        let edited = without_preamble(&text);
        if edited == before.as_slice() {
            return print(&for_people(&format!("{}: no change", file.shown())));
        }
        let result = match edited.trim_ascii().is_empty() {
            true => Err(EditError { line: 0, message: "the edited text is empty".to_owned() }),
            false => decrypted.encrypt(edited, |value| public.encrypt(value)).map_err(|error| {
                let above = text.get(..text.len() - edited.len()).unwrap_or_default();
                EditError { line: error.line + above.iter().filter(|byte| **byte == b'\n').count(), ..error }
            }),
        };
        match result {
            Ok(encrypted) => break encrypted,
            Err(error) if is_repeated(&error) => {}
            Err(error) => return Err(value_error(format!("{}: nothing was written", describe(&error)))),
        }
    };
    drop(editor);
    // From here on the process has files of its own to remove.
    signals::clean_up_at_the_end();
    file.replace(&encrypted.text)?;
    if yaml::parse(&encrypted.text).is_err() && yaml::parse(&file.bytes).is_ok() {
        logger.note(&format!("{} is not YAML any more; `catwalk check` shows the line", file.shown()));
    }
    let text = format!(
        "{}: {} encrypted, {} left as they were",
        file.shown(),
        count(encrypted.encrypted, "value"),
        encrypted.unchanged
    );
    print(&for_people(&text))
}

/// The text after the lines of the explanation.
fn without_preamble(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while let Some(line) = rest.split_inclusive(|byte| *byte == b'\n').next() {
        let is_explanation = PREAMBLE.lines().any(|known| known.as_bytes() == line.trim_ascii_end());
        if !is_explanation {
            break;
        }
        rest = rest.get(line.len()..).unwrap_or_default();
    }
    rest
}

fn describe(error: &EditError) -> String {
    match error.line {
        0 => error.message.clone(),
        line => format!("line {line} of the edited text: {}", error.message),
    }
}

/// Whether the user wants to correct the text; `false` without a terminal.
fn is_repeated(error: &EditError) -> bool {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return false;
    }
    let question = format!("{}. Edit again? [Y/n] ", visible::line(&describe(error)));
    let asked = std::io::stderr().write_all(question.as_bytes());
    let mut answer = String::new();
    let read = asked.and_then(|()| std::io::stdin().lock().read_line(&mut answer));
    read.is_ok_and(|length| length > 0) && !matches!(answer.trim().to_lowercase().as_str(), "n" | "no")
}
