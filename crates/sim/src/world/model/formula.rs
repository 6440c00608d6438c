//! Formulas of rules: compiled once, with the place of every name they use.

use super::{Coefficient, Location, Scaling};
use crate::application::Precision;
use runcast_core::Problem;
use runcast_formula::Program;

/// Numbers that differ from query to query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Variable {
    Size,
    Ops,
    Bytes,
    Threads,
    NodeProcs,
    NodeCores,
    DeviceProcs,
    Busy,
    H,
    Bw,
    Count,
    Concurrent,
    Procs,
}

impl Variable {
    /// All, with their names in formulas.
    pub const ALL: [(Variable, &'static str); 13] = [
        (Variable::Size, "size"),
        (Variable::Ops, "ops"),
        (Variable::Bytes, "bytes"),
        (Variable::Threads, "threads"),
        (Variable::NodeProcs, "node.procs"),
        (Variable::NodeCores, "node.cores"),
        (Variable::DeviceProcs, "device.procs"),
        (Variable::Busy, "busy"),
        (Variable::H, "h"),
        (Variable::Bw, "bw"),
        (Variable::Count, "count"),
        (Variable::Concurrent, "concurrent"),
        (Variable::Procs, "procs"),
    ];
}

/// The values of the variables, in the order of [`Variable::ALL`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variables {
    values: [f64; 13],
    /// What a block computes in.
    pub precision: Precision,
}

impl Default for Variables {
    fn default() -> Self {
        Variables { values: [f64::NAN; 13], precision: Precision::Double }
    }
}

impl Variables {
    #[must_use]
    #[inline]
    pub fn with(mut self, variable: Variable, value: f64) -> Self {
        self.values[variable as usize] = value;
        self
    }

    /// The value; NaN if the query does not have it.
    #[inline]
    pub fn get(&self, variable: Variable) -> f64 {
        self.values[variable as usize]
    }
}

/// Meaning of a name in a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// A number that differs from query to query.
    Variable(Variable),
    /// `hw.KEY`: an attribute of the device.
    Hardware(String),
    /// `node.KEY`: an attribute of the machine.
    Node(String),
    /// `net.KEY`: an attribute of the network.
    Network(String),
    /// `par.NAME`: a parameter of the application.
    Parameter(String),
    /// `c.NAME`: a coefficient of the model.
    Coefficient(String),
}

/// A name with its meaning and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedName {
    /// As written.
    pub name: String,
    /// What it stands for.
    pub operand: Operand,
    /// Where it stands first.
    pub location: Location,
}

#[derive(Debug, Clone)]
pub struct RuleFormula {
    /// As written.
    pub text: String,
    /// Compiled for the names in order.
    pub program: Program,
    pub names: Vec<UsedName>,
    /// Literals with a unit of time, by what is written: coefficients of the model that the rule is in.
    pub literals: Vec<(String, Coefficient)>,
}

impl PartialEq for RuleFormula {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.names == other.names
    }
}

/// Meaning of a name when everything but the variables is known.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    Constant(f64),
    /// To be asked for.
    Variable(Variable),
    /// A coefficient whose scaling depends on the block.
    Scaled(Box<Scaling>),
}

/// Number of names that need no allocation; formulas with more are rare.
const ON_STACK: usize = 24;

impl RuleFormula {
    /// Resolves each name; `lookup` knows all but the variables.
    ///
    /// # Errors
    /// A name without a value, at its place.
    pub fn bind(&self, lookup: &dyn Fn(&UsedName) -> Result<Input, Problem>) -> Result<Vec<Input>, Problem> {
        let one = |used: &UsedName| match &used.operand {
            Operand::Variable(variable) => Ok(Input::Variable(*variable)),
            _ => lookup(used).map_err(|problem| used.location.locate(problem)),
        };
        self.names.iter().map(one).collect()
    }

    /// Whether it names a number that differs from query to query.
    pub fn names_variable(&self, variable: Variable) -> bool {
        self.names.iter().any(|used| used.operand == Operand::Variable(variable))
    }

    /// The value with its names bound.
    #[inline]
    pub fn evaluate(&self, inputs: &[Input], variables: &Variables) -> f64 {
        let value = |input: &Input| match input {
            Input::Constant(value) => *value,
            Input::Variable(variable) => variables.get(*variable),
            Input::Scaled(scaling) => scaling.evaluate(variables).unwrap_or(f64::NAN),
        };
        if inputs.len() <= ON_STACK {
            let mut values = [0.0; ON_STACK];
            for (slot, input) in values.iter_mut().zip(inputs) {
                *slot = value(input);
            }
            self.program.row(&values[..inputs.len()])
        } else {
            self.program.row(&inputs.iter().map(value).collect::<Vec<_>>())
        }
    }
}
