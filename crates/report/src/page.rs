//! A page: headings, texts, tables and plots, which become one HTML file that can be read without a network.

use crate::html;
use crate::plot::Plot;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    /// Title of the page.
    pub title: String,
    /// A sentence or two under the title: what was done and when; may be empty.
    pub summary: String,
    pub sections: Vec<Section>,
    /// The machine of the measurements, as (name, value): `("processor", "2 x Xeon 6140")`.
    pub machine: Vec<(String, String)>,
    /// The commands that produced the page.
    pub commands: Vec<String>,
    /// The program that wrote it: `runcast 0.1.0`.
    pub generated_by: String,
    /// Whether every value of a picture is in the page, however many there are.
    pub all_data: bool,
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    pub heading: String,
    pub blocks: Vec<Block>,
}

/// A piece of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    Text(String),
    /// A heading under that of the section.
    Heading(String),
    /// A warning, with what to do about it.
    Warning(Notice),
    Plot(Plot),
    Table(Table),
    /// Blocks that are collapsed until the reader opens them.
    Details {
        summary: String,
        blocks: Vec<Block>,
    },
    /// Commands, formulas, files: verbatim.
    Code(String),
}

/// A warning with its remedy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Notice {
    /// The stable name of the warning; may be empty.
    pub code: String,
    /// Description of the problem.
    pub message: String,
    /// What to do about it; may be empty.
    pub remedy: String,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    pub caption: String,
    pub columns: Vec<Column>,
    /// Its rows, each with a cell for every column.
    pub rows: Vec<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Column {
    pub name: String,
    /// Unit of its numbers, shown in the heading; may be empty.
    pub unit: String,
    /// Alignment: text to the left, numbers to the right.
    pub align: Align,
}

/// Alignment of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Align {
    /// Text.
    #[default]
    Left,
    /// Numbers.
    Right,
}

impl Page {
    /// The page as one HTML file.
    pub fn to_html(&self) -> String {
        html::page(self)
    }

    /// Every picture of the page with a short name that can be part of a file's name and is unique in the page.
    pub fn plots(&self) -> Vec<(String, &Plot)> {
        let mut plots = Vec::new();
        for section in &self.sections {
            collect_plots(&section.blocks, &mut plots);
        }
        let mut taken = std::collections::HashMap::new();
        plots
            .into_iter()
            .map(|plot| {
                let base = html::slug(&plot.title);
                let count = taken.entry(base.clone()).and_modify(|count| *count += 1).or_insert(1usize);
                (if *count == 1 { base } else { format!("{base}_{count}") }, plot)
            })
            .collect()
    }
}

impl Section {
    /// A section without content.
    pub fn new(heading: impl Into<String>) -> Self {
        Section { heading: heading.into(), blocks: Vec::new() }
    }

    /// Adds a block.
    pub fn push(&mut self, block: impl Into<Block>) {
        self.blocks.push(block.into());
    }
}

impl Table {
    /// A table without rows.
    pub fn new(caption: impl Into<String>, columns: impl IntoIterator<Item = Column>) -> Self {
        Table { caption: caption.into(), columns: columns.into_iter().collect(), rows: Vec::new() }
    }
}

impl Column {
    pub fn text(name: impl Into<String>) -> Self {
        Column { name: name.into(), unit: String::new(), align: Align::Left }
    }

    /// A column of numbers with their unit, which may be empty.
    pub fn number(name: impl Into<String>, unit: impl Into<String>) -> Self {
        Column { name: name.into(), unit: unit.into(), align: Align::Right }
    }
}

impl From<Plot> for Block {
    fn from(plot: Plot) -> Self {
        Block::Plot(plot)
    }
}

impl From<Table> for Block {
    fn from(table: Table) -> Self {
        Block::Table(table)
    }
}

impl From<Notice> for Block {
    fn from(notice: Notice) -> Self {
        Block::Warning(notice)
    }
}

fn collect_plots<'a>(blocks: &'a [Block], plots: &mut Vec<&'a Plot>) {
    for block in blocks {
        match block {
            Block::Plot(plot) => plots.push(plot),
            Block::Details { blocks, .. } => collect_plots(blocks, plots),
            _ => {}
        }
    }
}
