//! Formulas of what calls and loops are given: exact ones first, the best multiple of a simple term where there is none.

use super::align::{self, Column, Item};
use super::block::{Block, Gather, drift, nearest};
use super::left::Refusal;
use super::normal::{Law, PAUSE};
use super::reach::Reach;
use super::{Apart, Cell, EXPLAINED, Key, Learnt, Source, depth_of};
use crate::formula::{Exact, Monomial, exact, term_text};
use crate::turns::first_of_loops;
use crate::vocabulary::{Field, call};
use indexmap::{IndexMap, IndexSet};
use runcast_core::Problem;

/// What was learnt of a call or a loop.
#[derive(Debug, Clone, Default)]
pub struct Told {
    /// Whether `trips` are those of all ranks but the first together, who share them.
    pub is_shared: bool,
    /// Turns of a loop, or whether a call is made (0 or 1) where that follows the configuration.
    pub trips: Option<Rule>,
    /// Size, tag and root.
    pub fields: [Option<Rule>; 3],
    /// Which of these count the index down from the last turn.
    pub counts_down: [bool; 3],
    /// Depth of the loop whose index sizes, tags, roots and partners follow.
    pub depth: Option<usize>,
    /// Positions in which it is done; none: in all.
    pub cells: Option<Vec<Cell>>,
    /// The processor time before it, each time.
    pub block: Option<Block>,
    /// That of the first turn of the loop around it, where it is told apart; `block` is then that of other turns.
    pub first: Option<Block>,
    /// By position, where that is closer.
    pub by_cell: Vec<(Cell, Block)>,
}

/// A formula over the symbols, the index k and 2^k.
#[derive(Debug, Clone)]
pub enum Rule {
    /// It gives every value.
    Exact(Exact, usize),
    /// A factor and a term that come near, over so many configurations.
    Fitted(f64, Monomial, usize),
    /// The symbol of this number is the mean over the index: turns are as even as whole numbers can be.
    Even(usize, usize),
}

/// Turns of a loop on which all ranks of a run agree, and which follow no formula: those of a solver that converges.
#[derive(Debug, Clone)]
pub struct Unforeseen {
    /// The name of its symbol.
    pub name: String,
    /// Call site of the first call of the loop.
    pub at: String,
    /// What comes near.
    pub rule: Rule,
    /// Turns in each recording.
    pub values: Vec<f64>,
    /// Whether these are numbers of turns; else means over the turns of the loop around.
    pub is_whole: bool,
}

impl Rule {
    /// The value in a row of symbols with the index.
    pub fn at(&self, row: &[f64], k: i64) -> f64 {
        let row: Vec<f64> = row.iter().copied().chain([k as f64, (k as f64).exp2()]).collect();
        match self {
            Rule::Exact(formula, _) => formula.at(&row),
            Rule::Fitted(factor, term, _) => factor * term.at(&row),
            Rule::Even(symbol, _) => {
                let mean = row.get(*symbol).copied().unwrap_or(0.0);
                (mean * (k + 1) as f64 + 1e-9).floor() - (mean * k as f64 + 1e-9).floor()
            }
        }
    }

    /// The formula with names of the symbols and of the index.
    pub fn text(&self, symbols: &[String], index: &str) -> String {
        let power = format!("(2^{index})");
        let names: Vec<&str> = symbols.iter().map(String::as_str).chain([index, &power]).collect();
        match self {
            Rule::Exact(formula, _) => formula.text(&names),
            Rule::Fitted(factor, term, _) => match term_text(term, &names).as_str() {
                "1" => format!("{factor:.6}"),
                text => format!("{factor:.6}*{text}"),
            },
            Rule::Even(symbol, _) => {
                let mean = symbols.get(*symbol).map_or("?", String::as_str);
                format!("floor({mean}*({index} + 1) + 1e-9) - floor({mean}*{index} + 1e-9)")
            }
        }
    }

    /// `exact` or `fitted`.
    pub fn status(&self) -> &'static str {
        if matches!(self, Rule::Exact(..)) { "exact" } else { "fitted" }
    }

    /// Configurations behind it.
    pub fn configurations(&self) -> usize {
        match self {
            Rule::Exact(_, configurations) | Rule::Fitted(_, _, configurations) | Rule::Even(_, configurations) => {
                *configurations
            }
        }
    }
}

/// Which ranks execute an item.
enum Who {
    /// All of them.
    All,
    /// Those that have a rank so many steps away in the grid.
    Partnered(Vec<i64>),
    /// Those in these positions.
    Cells(Vec<Cell>),
}

impl Who {
    fn has(&self, cell: &Cell) -> bool {
        match self {
            Who::All => true,
            Who::Partnered(steps) => is_inside(cell, steps),
            Who::Cells(cells) => cells.contains(cell),
        }
    }
}

/// Whether ranks in this position have one so many steps away, in a grid that does not wrap.
fn is_inside(cell: &Cell, steps: &[i64]) -> bool {
    let mut all = cell.0.iter().zip(steps);
    all.all(|(at, step)| !(*at == 'o' && *step != 0 || *at == 'l' && *step > 0 || *at == 'f' && *step < 0))
}

/// Values by row of symbols and index.
type Known = IndexMap<(usize, i64), f64>;

/// Number of a row of symbols, index, value.
type Value = (usize, i64, f64);

/// Finds the formulas of all items.
///
/// # Errors
/// The turns of a loop follow nothing.
pub(super) fn explain(learnt: &mut Learnt, columns: &[Column], sources: &[Source<'_>]) -> Result<(), Refusal> {
    let all = sources.iter().enumerate().flat_map(|(recording, source)| {
        let programs = source.recording.programs.iter().enumerate();
        programs.map(move |(number, program)| ((recording, number), first_of_loops(&program.tree)))
    });
    let firsts = all.collect();
    let mut items = learnt.items.clone();
    // Ranks that are told apart by their bits have a symbol of their own: a row each column.
    let rows = match learnt.apart {
        Apart::Bits => columns.iter().map(|column| learnt.row_of(column.recording, first_rank(column))).collect(),
        _ => learnt.rows.clone(),
    };
    let noise = drift(sources);
    let mut finder = Finder {
        learnt,
        columns,
        sources,
        rows,
        known: IndexMap::new(),
        unforeseen: Vec::new(),
        firsts: &firsts,
        noise,
    };
    let all: Vec<usize> = (0..columns.len()).collect();
    finder.items(&mut items, &all, false)?;
    let unforeseen = finder.unforeseen;
    align::number(&mut items);
    // The index and its power come after all symbols.
    let (symbols, more) = (learnt.symbols.len(), unforeseen.len());
    let number = |symbol: usize| match symbol.checked_sub(symbols) {
        Some(index @ (0 | 1)) => symbols + more + index,
        Some(place) => symbols + place - 2,
        None => symbol,
    };
    renumber(&mut items, &number);
    for one in unforeseen {
        learnt.symbols.push(one.name.clone());
        learnt.rows.iter_mut().zip(&one.values).for_each(|(row, value)| row.push(*value));
        learnt.unforeseen.push(one);
    }
    learnt.items = items;
    Ok(())
}

/// Symbols of all formulas get other numbers.
fn renumber(items: &mut [Item], number: &impl Fn(usize) -> usize) {
    for item in items {
        for rule in item.told.trips.iter_mut().chain(item.told.fields.iter_mut().flatten()) {
            match rule {
                Rule::Exact(formula, _) => formula.renumber(number),
                Rule::Fitted(_, term, _) => term.renumber(number),
                Rule::Even(symbol, _) => *symbol = number(*symbol),
            }
        }
        renumber(&mut item.body, number);
    }
}

/// Loops whose turns come from the data of the runs.
const MOST_UNFORESEEN: usize = 16;

fn first_rank(column: &Column) -> i64 {
    column.ranks.first().copied().unwrap_or(0).into()
}

/// The row of symbols of a column: its recording's, or one of its own.
pub(super) fn row(learnt: &Learnt, columns: &[Column], column: usize) -> usize {
    if learnt.apart == Apart::Bits { column } else { columns[column].recording }
}

struct Finder<'a> {
    learnt: &'a Learnt,
    columns: &'a [Column],
    sources: &'a [Source<'a>],
    /// Symbols by recording, or by column.
    rows: Vec<Vec<f64>>,
    /// Many calls carry the same numbers.
    known: IndexMap<Vec<(usize, i64, i64)>, Option<Exact>>,
    /// Turns that have a symbol of their own, whose number is two more than all others: the index and its power lie between.
    unforeseen: Vec<Unforeseen>,
    /// By recording and number of the program: which calls are the first of loops of how many turns.
    firsts: &'a IndexMap<(usize, usize), Vec<Option<u64>>>,
    /// How much times of blocks may differ between recordings for no reason.
    noise: f64,
}

impl Finder<'_> {
    /// The items of a body that these columns execute.
    fn items(&mut self, items: &mut Vec<Item>, within: &[usize], in_loop: bool) -> Result<(), Refusal> {
        let mut place = 0;
        while let Some(item) = items.get_mut(place) {
            let here: Vec<usize> = within.iter().copied().filter(|column| item.seen.contains_key(column)).collect();
            let who = self.who(item, &here, within);
            let of_cells: Vec<usize> =
                within.iter().copied().filter(|column| who.has(&self.columns[*column].cell)).collect();
            let is_varied = of_cells.len() > here.len();
            item.told.cells = if let Who::Cells(cells) = who { Some(cells) } else { None };
            if item.key.is_none() || is_varied {
                let turns: Vec<Value> = of_cells.iter().flat_map(|column| self.turns(item, *column)).collect();
                item.told.is_shared = self.learnt.apart == Apart::Root && turns.iter().any(|(_, k, _)| *k < 0);
                let shared = if item.told.is_shared { self.together(item, &of_cells) } else { Vec::new() };
                item.told.depth = here.iter().find_map(|column| depth_of(&item.seen[column].trips));
                item.told.trips = self.rule(if item.told.is_shared { &shared } else { &turns });
                if !matches!(item.told.trips, Some(Rule::Exact(..))) {
                    let mut groups = self.alike(&of_cells, false, |column| self.turns(item, column));
                    if groups.len() == 1 {
                        groups = self.alike(&of_cells, true, |column| self.turns(item, column));
                    }
                    let parts = groups.iter().map(|group| item.only_of(group)).filter(|part| !part.seen.is_empty());
                    let parts: Vec<Item> = parts.collect();
                    if parts.len() > 1 && !item.told.is_shared {
                        items.splice(place..=place, parts);
                        continue;
                    }
                    item.told.trips = self.by_data(&turns);
                    if item.told.trips.is_none() {
                        let Some(found) = self.unforeseen(item, &turns) else {
                            return Err(self.unexplained(item, &turns));
                        };
                        self.unforeseen.push(found);
                        item.told.trips = self.by_data(&turns);
                    }
                }
            }
            if item.key.is_some() {
                self.fields(item, &here);
                if item.told.fields.iter().flatten().any(|rule| !matches!(rule, Rule::Exact(..)))
                    && let Some(parts) = self.by_position(item, &of_cells)
                {
                    items.splice(place..=place, parts);
                    continue;
                }
                self.gather().tell(item, &here, in_loop && place == 0);
            }
            self.items(&mut item.body, &here, true)?;
            place += 1;
        }
        Ok(())
    }

    /// How often a column does an item.
    fn turns(&self, item: &Item, column: usize) -> Vec<Value> {
        let law = item.seen.get(&column).map_or(Law::Constant(0), |seen| seen.trips.clone());
        self.values(column, &law, None)
    }

    /// A call as positions of ranks make it, each with sizes, tags and roots of its own, if that makes all of them exact.
    fn by_position(&mut self, item: &Item, of_cells: &[usize]) -> Option<Vec<Item>> {
        let here = |columns: &[usize]| -> Vec<usize> {
            columns.iter().copied().filter(|column| item.seen.contains_key(column)).collect()
        };
        // What one recording alone has says nothing about positions that only larger ones have.
        let all = here(of_cells);
        if all.iter().all(|column| self.columns[*column].recording == self.columns[all[0]].recording) {
            return None;
        }
        let groups = self.alike(of_cells, false, |column| {
            let laws = EXPLAINED.map(|field| item.seen.get(&column)?.fields[field as usize].clone());
            let values = |(place, law): (usize, Law)| {
                let own = self.values(column, &law, None).into_iter();
                own.map(move |(row, k, value)| (row, k * EXPLAINED.len() as i64 + place as i64, value))
            };
            laws.into_iter().enumerate().filter_map(|(place, law)| Some((place, law?))).flat_map(values).collect()
        });
        if groups.len() < 2 {
            return None;
        }
        let mut parts: Vec<Item> = groups.iter().map(|group| item.only_of(group)).collect();
        for (part, group) in parts.iter_mut().zip(&groups) {
            let here = here(group);
            self.fields(part, &here);
            if here.is_empty() || part.told.fields.iter().flatten().any(|rule| !matches!(rule, Rule::Exact(..))) {
                return None;
            }
        }
        Some(parts)
    }

    /// Columns of positions that agree in these values wherever both were recorded, which has to be somewhere if it is `seen`.
    fn alike(&self, of_cells: &[usize], seen: bool, values: impl Fn(usize) -> Vec<Value>) -> Vec<Vec<usize>> {
        // Each column has symbols of its own there: no two of them can disagree.
        if self.learnt.apart == Apart::Bits {
            return vec![of_cells.to_vec()];
        }
        let mut by_cell: IndexMap<&Cell, Vec<usize>> = IndexMap::new();
        for column in of_cells {
            by_cell.entry(&self.columns[*column].cell).or_default().push(*column);
        }
        let mut groups: Vec<(Known, Vec<usize>)> = Vec::new();
        for columns in by_cell.into_values() {
            let own = columns.iter().flat_map(|column| values(*column));
            let own: Known = own.map(|(row, k, value)| ((row, k), value)).collect();
            let agrees = |known: &Known| {
                let mut both = own.iter().filter_map(|(place, value)| Some((value, known.get(place)?))).peekable();
                (!seen || both.peek().is_some()) && both.all(|(own, known)| own == known)
            };
            match groups.iter_mut().find(|(known, _)| agrees(known)) {
                Some((known, all)) => {
                    known.extend(own);
                    all.extend(columns);
                }
                None => groups.push((own, columns)),
            }
        }
        groups.into_iter().map(|(_, columns)| columns).collect()
    }

    /// The symbol of turns that come from the data of the runs, and how many turns more than it there are.
    fn by_data(&self, turns: &[Value]) -> Option<Rule> {
        let known = self.learnt.p.len();
        let symbol = |place: usize| self.learnt.symbols.len() + 2 + place;
        let own = |(place, one): (usize, &Unforeseen)| -> Option<Exact> {
            let more = |(row, k, value): &Value| (*k == 0).then(|| value - one.values[*row]);
            let shift = turns.first().and_then(more).filter(|shift| shift.fract() == 0.0)?;
            turns.iter().all(|turn| more(turn) == Some(shift)).then(|| Exact::symbol(symbol(place), shift as i64))
        };
        if let Some(found) = self.unforeseen.iter().enumerate().find_map(own) {
            return Some(Rule::Exact(found, known));
        }
        let means = self.means(turns)?;
        let place = self.unforeseen.iter().position(|one| one.values == means)?;
        Some(Rule::Even(symbol(place), known))
    }

    /// The mean turns of each recording over the index; none unless all ranks agree on each turn.
    fn means(&self, turns: &[Value]) -> Option<Vec<f64>> {
        let mut table: IndexMap<(usize, i64), f64> = IndexMap::new();
        for (recording, k, value) in turns {
            if table.entry((*recording, *k)).or_insert(*value) != value {
                return None;
            }
        }
        let mean = |recording: usize| {
            let own = || table.iter().filter(move |((row, _), _)| *row == recording).map(|(_, value)| *value);
            let (sum, n) = (own().sum::<f64>(), own().count());
            (n > 0).then(|| sum / n as f64)
        };
        (0..self.learnt.p.len()).map(mean).collect()
    }

    /// Turns that no formula gives, but on which all ranks of a run agree: they come from the data. So does whether a call is
    /// made at all.
    fn unforeseen(&self, item: &Item, turns: &[Value]) -> Option<Unforeseen> {
        if self.learnt.apart == Apart::Bits || self.unforeseen.len() >= MOST_UNFORESEEN {
            return None;
        }
        let values = self.means(turns)?;
        // Of two sizes one with a call and one without it say nothing: whatever differs would be a matter of the data.
        let sizes: IndexSet<u32> = self.learnt.p.iter().copied().collect();
        if sizes.len() < 3 && (item.key.is_some() || values.iter().any(|value| *value <= 1.0)) {
            return None;
        }
        let means: Vec<(usize, f64)> = values.iter().copied().enumerate().collect();
        let (factor, term, _) = nearest(&means, &self.rows, 0.0)?;
        let at = first_site(item).and_then(|site| self.learnt.sites.get(site)).cloned().unwrap_or_default();
        let name = format!("turns{}", self.unforeseen.len() + 1);
        let is_whole = values.iter().all(|value| value.fract() == 0.0);
        Some(Unforeseen { name, at, rule: Rule::Fitted(factor, term, means.len()), values, is_whole })
    }

    /// Turns of all ranks that share them.
    fn together(&self, item: &Item, of_cells: &[usize]) -> Vec<Value> {
        let of = |column: &usize| {
            let mean = item.seen.get(column).map_or(0.0, |seen| seen.trips.mean());
            (self.row(*column), 0, (mean * self.columns[*column].ranks.len() as f64).round())
        };
        of_cells.iter().map(of).collect()
    }

    /// The row of symbols of a column.
    fn row(&self, column: usize) -> usize {
        row(self.learnt, self.columns, column)
    }

    /// Who executes an item, as far as the recordings that have it at all show.
    fn who(&self, item: &Item, here: &[usize], within: &[usize]) -> Who {
        let recordings: Vec<usize> = here.iter().map(|column| self.columns[*column].recording).collect();
        let cells = |columns: &mut dyn Iterator<Item = usize>| {
            let mut cells: Vec<Cell> = columns.map(|column| self.columns[column].cell.clone()).collect();
            cells.sort();
            cells.dedup();
            cells
        };
        let own = cells(&mut here.iter().copied());
        let known = |column: &usize| recordings.contains(&self.columns[*column].recording);
        let there = cells(&mut within.iter().copied().filter(known));
        if there.iter().all(|cell| own.contains(cell)) {
            return Who::All;
        }
        match (&item.to, &self.learnt.grid) {
            (Reach::Grid(steps), Some(grid)) if !grid.wrap => {
                let mut partnered = there.iter().filter(|cell| is_inside(cell, steps));
                if partnered.all(|cell| own.contains(cell)) { Who::Partnered(steps.clone()) } else { Who::Cells(own) }
            }
            _ => Who::Cells(own),
        }
    }

    fn values(&self, column: usize, law: &Law, turns: Option<i64>) -> Vec<Value> {
        let recording = self.row(column);
        match law {
            Law::Free(mean) => vec![(recording, -1, *mean)],
            Law::Constant(value) => (0..turns.unwrap_or(1)).map(|k| (recording, k, *value as f64)).collect(),
            Law::List { values, .. } => {
                values.iter().enumerate().map(|(k, value)| (recording, k as i64, *value as f64)).collect()
            }
        }
    }

    fn fields(&mut self, item: &mut Item, here: &[usize]) {
        let peers = here.iter().filter_map(|column| item.seen[column].fields[Field::Peer as usize].as_ref());
        item.told.depth = peers.filter_map(depth_of).next();
        for (place, field) in EXPLAINED.into_iter().enumerate() {
            let laws = |column: &usize| {
                let fields = &item.seen[column].fields;
                // What nobody sends has no size.
                let speaks = fields[Field::Peer as usize] != Some(Law::Constant(-1));
                let law = fields[field as usize].clone().filter(|_| speaks);
                law.map(|law| (*column, law))
            };
            let laws: Vec<(usize, Law)> = here.iter().filter_map(laws).collect();
            item.told.depth = item.told.depth.or(laws.iter().find_map(|(_, law)| depth_of(law)));
            let values: Vec<Value> = laws.iter().flat_map(|(column, law)| self.values(*column, law, None)).collect();
            item.told.fields[place] = self.rule(&values);
            let is_listed = laws.iter().any(|(_, law)| depth_of(law).is_some());
            if is_listed && !matches!(item.told.fields[place], Some(Rule::Exact(..))) {
                let down = laws.iter().flat_map(|(column, law)| self.values(*column, &turned(law), None));
                let down: Vec<Value> = down.collect();
                if let Some(found @ Rule::Exact(..)) = self.rule(&down) {
                    (item.told.fields[place], item.told.counts_down[place]) = (Some(found), true);
                }
            }
        }
    }

    /// The exact formula of values, or else the nearest multiple of a simple term.
    fn rule(&mut self, values: &[Value]) -> Option<Rule> {
        let mut table: IndexMap<(usize, i64), i64> = IndexMap::new();
        let mut is_exact = !values.is_empty();
        for (recording, k, value) in values {
            let known = *table.entry((*recording, *k)).or_insert(*value as i64);
            is_exact &= *k >= 0 && value.fract() == 0.0 && known as f64 == *value;
        }
        let rows: Vec<(usize, i64, i64)> =
            table.into_iter().map(|((recording, k), value)| (recording, k, value)).collect();
        let configurations = rows.len();
        if is_exact {
            let has_index = rows.iter().any(|(_, k, _)| *k > 0);
            let (own, table) = (&self.rows, &rows);
            let find = || {
                let of = |(recording, k, _): &(usize, i64, i64)| {
                    let index = if has_index { vec![*k as f64, (*k as f64).exp2()] } else { Vec::new() };
                    own[*recording].iter().copied().chain(index).collect()
                };
                let symbols: Vec<Vec<f64>> = table.iter().map(of).collect();
                exact(&symbols, &table.iter().map(|(_, _, value)| *value).collect::<Vec<_>>())
            };
            let found = self.known.entry(rows.clone()).or_insert_with(find).clone();
            if let Some(found) = found {
                return Some(Rule::Exact(found, configurations));
            }
        }
        let mut means: IndexMap<usize, (f64, f64)> = IndexMap::new();
        for (recording, _, value) in values {
            let mean = means.entry(*recording).or_default();
            *mean = (mean.0 + value, mean.1 + 1.0);
        }
        let means: Vec<(usize, f64)> = means.into_iter().map(|(place, (sum, n))| (place, sum / n)).collect();
        let (factor, term, _) = nearest(&means, &self.rows, 0.0)?;
        Some(Rule::Fitted(factor, term, means.len()))
    }

    fn gather(&self) -> Gather<'_> {
        Gather {
            learnt: self.learnt,
            columns: self.columns,
            sources: self.sources,
            rows: &self.rows,
            firsts: self.firsts,
            noise: self.noise,
        }
    }

    fn unexplained(&self, item: &Item, turns: &[Value]) -> Refusal {
        let site = first_site(item).and_then(|site| self.learnt.sites.get(site)).cloned().unwrap_or_default();
        let numbers: Vec<String> =
            turns.iter().take(6).map(|(recording, _, n)| format!("{n} at p = {}", self.rows[*recording][0])).collect();
        let message = format!("the turns of a loop follow no formula: {}", numbers.join(", "));
        let problem = Problem::new("unexplained", message).value(site);
        let problem = problem.hint("name what varies between runs: record --set NAME=V");
        let mut keys = Vec::new();
        collect_keys(item, &mut keys);
        Refusal { problem, keys }
    }
}

/// The law with its values from the last turn on.
fn turned(law: &Law) -> Law {
    let mut law = law.clone();
    if let Law::List { values, .. } = &mut law {
        values.reverse();
    }
    law
}

fn collect_keys(item: &Item, keys: &mut Vec<Key>) {
    keys.extend(item.key.filter(|key| key.call != PAUSE));
    item.body.iter().for_each(|inner| collect_keys(inner, keys));
}

fn first_site(item: &Item) -> Option<usize> {
    item.key.map(|key| key.site).or_else(|| item.body.iter().find_map(first_site))
}

/// Whether a call sends or receives no data of its own accord: its size is not told.
pub(crate) fn is_silent(code: u16) -> bool {
    (call::WAIT..call::BARRIER).contains(&code) || code >= 70
}
