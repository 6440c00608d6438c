//! A part of a system: a component with all that is in it.

use super::System;

impl System {
    /// The component of this id as a system of its own, with its numbers in the whole; none if there is no such component.
    ///
    /// Networks are left out: it says what is there, not how it is joined.
    pub fn part(&self, id: &str) -> Option<System> {
        let root = self.find(id)?;
        let mut numbers = vec![None; self.components.len()];
        let mut components = Vec::new();
        for (index, component) in self.components.iter().enumerate() {
            let parent = component.parent.and_then(|parent| numbers[parent]);
            if index != root && parent.is_none() {
                continue;
            }
            numbers[index] = Some(components.len());
            let mut component = component.clone();
            component.parent = parent;
            components.push(component);
        }
        Some(System { components, networks: Vec::new(), ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use crate::catalogue::Catalogue;
    use crate::system::{Changes, read};

    #[test]
    fn a_part_has_its_numbers_in_the_whole() {
        let text = "format = 'runcast-system/1'\ncomponent = [ { id = 'site', kind = 'group' },\n\
            { id = 'a', kind = 'group', parent = 'site', count = 2 }, { id = 'b', kind = 'group', parent = 'site' },\n\
            { id = 'm', kind = 'machine', parent = 'a', count = 3 }, { id = 'n', kind = 'machine', parent = 'b' },\n\
            { id = 'c', kind = 'cpu', parent = 'm', set = { cores = 4 } }, { id = 'd', kind = 'cpu', parent = 'n', set = { cores = 5 } } ]";
        let system = read(text, "s.toml", Catalogue::builtin(), &Changes::default()).expect("fits").system;
        let cores = |id: &str| system.part(id).map(|part| (part.totals().machines, part.totals().cores));
        assert_eq!(cores("site"), Some((7, 29.0)));
        assert_eq!(cores("a"), Some((6, 24.0)));
        assert_eq!(cores("n"), Some((1, 5.0)));
        assert_eq!(cores("x"), None);
    }
}
