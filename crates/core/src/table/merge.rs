//! Several tables as one.

use super::{Column, ColumnData, DeclaredRoles, Origin, Table, TextBuilder, number};

impl Table {
    /// Several tables as one: the rows one after the other, the union of the columns, with empty cells where a table
    /// lacks one. Without tables it is empty.
    pub fn concatenate(tables: Vec<Table>) -> Table {
        if tables.is_empty() { Table::default() } else { concatenate(tables) }
    }
}

/// The rows of all tables, one after the other; columns by name, empty where a table lacks one. A column that holds
/// text in one of them is text.
pub(super) fn concatenate(mut tables: Vec<Table>) -> Table {
    if tables.len() == 1 {
        return tables.remove(0);
    }
    let mut names: indexmap::IndexSet<String> = indexmap::IndexSet::new();
    for table in &tables {
        names.extend(table.columns.iter().map(|column| column.name.clone()));
    }
    let columns = names.into_iter().map(|name| joined(&tables, name)).collect();

    // A table in long form beside one in wide form has its columns as they are.
    if tables.iter().any(|table| table.wide.is_turned()) {
        for table in tables.iter_mut().filter(|table| !table.wide.is_turned()) {
            table.wide.columns = table.columns.iter().map(|column| column.name.clone()).collect();
        }
    }
    let mut merged = Table { columns, ..Table::default() };
    for table in tables {
        let offset = u32::try_from(merged.files.len()).unwrap_or(u32::MAX);
        merged
            .origins
            .extend(table.origins.iter().map(|origin| Origin { file: origin.file.saturating_add(offset), ..origin }));
        merged.files.extend(table.files);
        merged.warnings.extend(table.warnings);
        merged.wide.unite(table.wide);
        if let Some(roles) = table.roles {
            unite(merged.roles.get_or_insert_default(), roles);
        }
    }
    merged
}

fn joined(tables: &[Table], name: String) -> Column {
    let parts: Vec<Option<&Column>> = tables.iter().map(|table| table.column(&name)).collect();
    let rows = || tables.iter().map(Table::rows).zip(&parts);
    if parts.iter().flatten().all(|part| part.as_numbers().is_some()) {
        let mut values = Vec::with_capacity(tables.iter().map(Table::rows).sum());
        for (count, part) in rows() {
            match part.and_then(|part| part.as_numbers()) {
                Some(numbers) => values.extend(numbers),
                None => values.resize(values.len() + count, f64::NAN),
            }
        }
        return Column::numbers(name, values);
    }
    let mut builder = TextBuilder::default();
    for (count, part) in rows() {
        match part.map(|part| &part.data) {
            None => (0..count).for_each(|_| builder.push("")),
            Some(ColumnData::Number(values)) => values.iter().for_each(|&value| builder.push(number::to_text(value))),
            Some(ColumnData::Text { codes, names }) => {
                let new: Vec<u32> = names.iter().map(|name| builder.code(name)).collect();
                codes.iter().for_each(|code| builder.push_code(new[code as usize]));
            }
        }
    }
    Column { name, data: builder.finish() }
}

fn unite(all: &mut DeclaredRoles, more: DeclaredRoles) {
    fn add<T: PartialEq>(list: &mut Vec<T>, more: Vec<T>) {
        for item in more {
            if !list.contains(&item) {
                list.push(item);
            }
        }
    }
    add(&mut all.parameters, more.parameters);
    add(&mut all.metrics, more.metrics);
    add(&mut all.units, more.units);
    add(&mut all.others, more.others);
}
