//! The help of each command.

/// A command, for those who ask.
#[derive(Debug)]
pub struct CommandHelp {
    /// The word that it begins with.
    pub name: &'static str,
    /// How it is written.
    pub usage: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// What else there is to know.
    pub details: &'static str,
}

/// All commands, in the order in which one needs them.
pub static COMMANDS: &[CommandHelp] = &[
    CommandHelp {
        name: "load",
        usage: "load FILE.. [as T]",
        summary: "read traces and tables into one table",
        details: "A set of ranks and runs is one table: load fft.cll.*.csv as t. The files may hold * ? and [..].\n\
                  Any table that runcast reads will do. Two formulas for one experiment are an error.",
    },
    CommandHelp {
        name: "merge",
        usage: "merge T U.. [as V]",
        summary: "put tables together",
        details: "Columns are joined by name; where a table lacks one, its cells are empty.",
    },
    CommandHelp {
        name: "subset",
        usage: "subset T where FORMULA [as U]",
        summary: "take the rows for which a formula holds",
        details: "subset t where region == \"F\" and P <= 8 as small",
    },
    CommandHelp {
        name: "transform",
        usage: "transform T NAME = FORMULA | status = TEXT [where FORMULA]",
        summary: "add a column, or replace one",
        details: "transform t bytes = 8*n. A column with a name that ends in a unit is a metric, any other a parameter.\n\
                  Of text only the status can be set: transform t status = \"ok\" where status == \"exit\" takes samples in.",
    },
    CommandHelp {
        name: "show",
        usage: "show [T|M] [rows N]",
        summary: "tell what a table or a model holds",
        details: "Of a table: visits, ranks, inclusive and self time, exits and noise of each experiment; rows N prints\n\
                  its first rows. Inclusive times are summed over the outermost instances alone.",
    },
    CommandHelp {
        name: "fit",
        usage: "fit [EXPERIMENT] [in T] [formula \"F\"] [metric M] [seg Z,..|auto] [method auto|regimes|segments|steps|single] \
                [signs auto|nonneg|free] [weights relative|none|sqrt] [aggregate median|q25|min|max|mean] \
                [ranks all|max|mean] [level L] [as M]",
        summary: "find the constants of a formula, and where they hold",
        details: "Formula and seg are those of the trace, unless given: fit fft in t seg N/P as m, or\n\
                  fit formula \"c[0] + c[1]*n\" metric cpu_s seg bytes. One seg: pieces of the whole formula, or smooth\n\
                  regimes, whichever predicts held-out configurations better; several: steps of single constants; none:\n\
                  one fit. ranks max takes the slowest rank of each run.",
    },
    CommandHelp {
        name: "segments",
        usage: "segments [M]",
        summary: "where the pieces of a model part",
        details: "Each break with its interval and the measured values next to it.",
    },
    CommandHelp {
        name: "constants",
        usage: "constants [M]",
        summary: "the constants of a model in each piece",
        details: "With intervals, and the number of configurations behind each.",
    },
    CommandHelp {
        name: "predict",
        usage: "predict [M] at NAME=VALUES,.. [level L]",
        summary: "predict configurations that were not run",
        details: "Lists combine: predict m at N=1e3,2e3,P=4 are two configurations. A list may be a rule: N=1024..65536*2.",
    },
    CommandHelp {
        name: "validate",
        usage: "validate [M] folds K | hold FORMULA",
        summary: "refit without some configurations, and predict them",
        details: "validate m folds 5 leaves out each configuration once; validate m hold \"P > 4\" those for which it holds.",
    },
    CommandHelp {
        name: "suggest",
        usage: "suggest [M] [runs K] [to FILE.csv]",
        summary: "what to run next",
        details: "The file is a plan for runcast bench.",
    },
    CommandHelp {
        name: "plot",
        usage: "plot [T|M] [x NAME] [by NAME] [to FILE.svg|FILE.png]",
        summary: "draw samples, pieces, breaks and intervals",
        details: "As text where no file is named.",
    },
    CommandHelp {
        name: "save",
        usage: "save T|M|session to FILE",
        summary: "write a table, a model, or the commands so far",
        details: "A model as JSON: predict, evaluate, advise and report take it. A table as CSV or .jsonl.\n\
                  save session to day.llac writes a script that makes the same again.",
    },
    CommandHelp {
        name: "source",
        usage: "source FILE.llac",
        summary: "run the commands of a file",
        details: "Files that it names are looked up beside it.",
    },
    CommandHelp {
        name: "eval",
        usage: "eval EXPRESSION [at NAME=VALUES,..] [in T]",
        summary: "calculate, with models as functions of the names in scope",
        details: "eval m*4 at N=1e6. In a table: a value for each of its first 10 rows. The word eval may be left out.",
    },
    CommandHelp {
        name: "set",
        usage: "set seed N | errors stop|continue",
        summary: "the seed of everything random; what follows an error",
        details: "Intervals are bootstrapped: the same seed (0) gives the same. Scripts end at the first error, unless errors\n\
                  continue: then the exit code is that of the first.",
    },
    CommandHelp { name: "help", usage: "help [COMMAND]", summary: "list the commands, or tell about one", details: "" },
    CommandHelp { name: "quit", usage: "quit", summary: "end the session", details: "" },
];

/// The command of this name.
pub fn find(name: &str) -> Option<&'static CommandHelp> {
    let name = match name {
        "exit" => "quit",
        "?" => "help",
        name => name,
    };
    COMMANDS.iter().find(|command| command.name == name)
}
