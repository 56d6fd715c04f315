//! The documents in frames, each without the values that follow it.
//!
//! Both ends are this program, so a document has no version. Must not: contain values, whose depth and number `codec` limits.

use std::borrow::Cow;

use serde::Deserialize;
use serde::Serialize;

/// A node to classify. Values: its facts, its trusted data.
#[derive(Serialize, Deserialize)]
pub(super) struct NodeDocument<'a> {
    pub(super) certname: &'a str,
    pub(super) environment: &'a str,
}

/// Values: the hashes of the classes that have parameters, those of the variables, those of the data.
#[derive(Serialize, Deserialize)]
pub(super) struct ClassificationDocument<'a> {
    /// Classes, and whether they have parameters.
    #[serde(borrow)]
    pub(super) classes: Vec<(&'a str, bool)>,
    pub(super) variables: Vec<&'a str>,
    pub(super) data: Vec<&'a str>,
    pub(super) environment: Option<&'a str>,
    /// Whether the script filled a classification that it did not return.
    pub(super) is_unreturned: bool,
    pub(super) calls: Vec<CallDocument<'a>>,
}

/// The call of a script that sets a part of a classification.
#[derive(Serialize, Deserialize)]
pub(super) struct CallDocument<'a> {
    #[serde(borrow)]
    pub(super) part: PartDocument<'a>,
    #[serde(borrow)]
    pub(super) file: Cow<'a, str>,
    pub(super) line: usize,
    pub(super) column: usize,
}

#[derive(Serialize, Deserialize)]
pub(super) enum PartDocument<'a> {
    Class(&'a str),
    Parameter(&'a str, &'a str),
    Variable(&'a str),
    Data(&'a str),
    Environment,
}

/// Values: those of the parameters of its resources.
#[derive(Serialize, Deserialize)]
pub(super) struct CatalogDocument<'a> {
    pub(super) name: &'a str,
    pub(super) environment: &'a str,
    pub(super) classes: Vec<&'a str>,
    #[serde(borrow)]
    pub(super) resources: Vec<ResourceDocument<'a>>,
    pub(super) edges: Vec<(usize, usize)>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ResourceDocument<'a> {
    pub(super) type_name: &'a str,
    pub(super) title: &'a str,
    pub(super) file: Option<&'a str>,
    pub(super) line: Option<u32>,
    pub(super) exported: Option<bool>,
    pub(super) tags: Vec<&'a str>,
    /// Parameters, and whether they are secret.
    #[serde(borrow)]
    pub(super) parameters: Vec<(&'a str, bool)>,
}

/// Line and column; the line is 0 if the position is unknown.
pub(super) type PositionDocument = (u16, u16);

#[derive(Serialize, Deserialize)]
pub(super) struct VerdictDocument<'a> {
    pub(super) denied: bool,
    pub(super) message: &'a str,
    pub(super) resource: Option<usize>,
    pub(super) file: Option<&'a str>,
    pub(super) at: PositionDocument,
}

/// Values: the hashes of the groups.
#[derive(Serialize, Deserialize)]
pub(super) struct GroupsDocument<'a> {
    /// For each group, whether it has a rule, and its position.
    pub(super) groups: Vec<(bool, PositionDocument)>,
    #[serde(borrow)]
    pub(super) imported: Vec<Cow<'a, str>>,
}

/// Values: the definitions.
#[derive(Serialize, Deserialize)]
pub(super) struct RegistrationsDocument<'a> {
    #[serde(borrow)]
    pub(super) calls: Vec<RegistrationDocument<'a>>,
    #[serde(borrow)]
    pub(super) imported: Vec<Cow<'a, str>>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct RegistrationDocument<'a> {
    pub(super) is_transport: bool,
    pub(super) at: PositionDocument,
    #[serde(borrow)]
    pub(super) positions: Vec<(Vec<StepDocument<'a>>, PositionDocument)>,
}

#[derive(Serialize, Deserialize)]
pub(super) enum StepDocument<'a> {
    Key(&'a str),
    Index(usize),
}

/// The environment of a request.
#[derive(Serialize, Deserialize)]
pub(super) struct EnvironmentDocument<'a> {
    pub(super) name: &'a str,
    #[serde(borrow)]
    pub(super) root: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) modulepath: Vec<Cow<'a, str>>,
    /// Names and directories of modules.
    #[serde(borrow)]
    pub(super) modules: Vec<(&'a str, Cow<'a, str>)>,
}

/// The `dispatch` lines of a script: the signature and the name of the function.
pub(super) type DispatchesDocument<'a> = Vec<(&'a str, &'a str)>;
