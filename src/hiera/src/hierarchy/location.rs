//! The locations of a level's data: paths, globs, URIs and mapped paths with their variables filled in.
//!
//! In: a level of hiera.yaml. Out: locations, each with its spelling in hiera.yaml. Must not: read data.
//! (`Puppet::Pops::Lookup::LocationResolver`)

use crate::config::Config;
use crate::config::ConfigEntry;
use crate::config::Locations;
use crate::config::join;
use crate::failure::Failure;
use crate::failure::LookupResult;
use crate::lookup::Invocation;
use crate::resolved::Entry;
use crate::resolved::Location;
use catwalk_value::Value;
use catwalk_value::ruby;
use catwalk_world::Kind;
use catwalk_world::excerpt;
use catwalk_world::glob::EntryFilter;
use catwalk_world::glob::glob;
use std::path::PathBuf;

/// The most directory entries that are compared with one pattern; more are an error.
const MAX_DIRECTORY_ENTRIES: usize = 1_000_000;

/// The location of a URI, which must consist of characters that Ruby accepts.
fn uri_location(original: &str, resolved: String) -> Result<Location, Failure> {
    let is_valid =
        |b: u8| b.is_ascii_graphic() && !matches!(b, b'<' | b'>' | b'"' | b'{' | b'}' | b'|' | b'\\' | b'^' | b'`');
    if !resolved.bytes().all(is_valid) {
        return Err(Failure::ruby(format!("bad URI(is not URI?): {resolved:?}")));
    }
    Ok(Location { original: original.to_owned(), resolved, is_uri: true, exists: true, number: 0 })
}

fn too_many(pattern: &str) -> Failure {
    Failure::lookup(format!("the glob '{}' has more than {MAX_DIRECTORY_ENTRIES} paths to look at", excerpt(pattern)))
}

impl Invocation<'_> {
    pub(super) fn locations(
        &mut self,
        config: &Config,
        entry: &ConfigEntry,
        datadir: &str,
    ) -> LookupResult<Option<Vec<Location>>> {
        let mut locations = Vec::new();
        match &entry.locations {
            Locations::None => return Ok(None),
            Locations::Paths(paths) => {
                for original in paths {
                    let mut path = self.interpolate_plain(original)?;
                    if let Some(extension) = entry.extension.as_deref().filter(|extension| !path.ends_with(extension)) {
                        path.push_str(extension);
                    }
                    let location = self.path(original, join(datadir, &path));
                    if config.path.is_some() || location.exists {
                        locations.push(location);
                    }
                }
            }
            Locations::Globs(globs) => {
                for original in globs {
                    let pattern = join(datadir, &self.interpolate_plain(original)?);
                    let found = glob(self.world, &pattern, EntryFilter::Files, MAX_DIRECTORY_ENTRIES)
                        .ok_or_else(|| too_many(&pattern))?;
                    for resolved in found {
                        locations.push(Location {
                            original: pattern.clone(),
                            resolved,
                            is_uri: false,
                            exists: true,
                            number: 0,
                        });
                    }
                }
            }
            Locations::Uris(uris) => {
                for original in uris {
                    locations.push(uri_location(original, self.interpolate_plain(original)?)?);
                }
            }
            Locations::Mapped(variable, name, template) => {
                self.mapped(datadir, variable, name, template, &mut locations)?
            }
        }
        for (number, location) in locations.iter_mut().enumerate() {
            location.number = number;
        }
        Ok(Some(locations))
    }

    /// Locations that a `hiera` function puts before those of an entry (`V3DataHashFunctionProvider`). The extension is the
    /// backend's name, whatever the configuration has.
    pub(crate) fn extra_locations(&mut self, entry: &Entry, paths: &[Value]) -> LookupResult<Vec<Location>> {
        let mut locations = Vec::new();
        for path in paths {
            let Value::Str(original) = path else {
                let (printed, class) = (ruby::plain_inspect(path), ruby::plain_class_name(path));
                return Err(Failure::ruby(format!("undefined method `end_with?' for {printed}:{class}")).into());
            };
            let mut path = self.interpolate_plain(original)?;
            let extension = format!(".{}", entry.name);
            if !path.ends_with(&extension) {
                path.push_str(&extension);
            }
            let mut location = self.path(original, join(&entry.datadir, &path));
            let mut added = entry.added.borrow_mut();
            let added_path = added.iter().position(|added_path| *added_path == location.resolved);
            let number = added_path.unwrap_or_else(|| {
                added.push(location.resolved.clone());
                added.len() - 1
            });
            location.number = entry.locations.as_ref().map_or(0, Vec::len) + number;
            locations.push(location);
        }
        Ok(locations)
    }

    pub(crate) fn path(&self, original: &str, resolved: String) -> Location {
        let exists = self.world.kind(&PathBuf::from(&resolved)) != Kind::Missing;
        Location { original: original.to_owned(), resolved, is_uri: false, exists, number: 0 }
    }

    /// `mapped_paths`: the template once for each value of a variable. The loop variable is not recorded as used.
    pub(super) fn mapped(
        &mut self,
        datadir: &str,
        variable: &str,
        name: &str,
        template: &str,
        locations: &mut Vec<Location>,
    ) -> LookupResult<()> {
        let values = match self.scope_lookup(variable, "mapped_path[0]")? {
            Value::Array(values) => values.to_vec(),
            Value::Hash(pairs) => {
                pairs.iter().map(|(key, value)| Value::array(vec![key.clone(), value.clone()])).collect()
            }
            Value::Str(text) if text.is_empty() => Vec::new(),
            Value::Undef => Vec::new(),
            other => vec![other],
        };
        let before = self.used_variables.as_ref().map_or(0, Vec::len);
        for value in values {
            let outer = self.loop_variable.replace((name.to_owned(), value));
            let path = self.interpolate_plain(template);
            self.loop_variable = outer;
            locations.push(self.path(template, join(datadir, &path?)));
        }
        if let Some(collected) = &mut self.used_variables {
            let mut number = 0;
            collected.retain(|variable| {
                number += 1;
                number <= before || variable.root != name
            });
        }
        Ok(())
    }
}
