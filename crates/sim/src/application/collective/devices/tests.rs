//! The trees: printed parents, and properties.

use super::messages::parent;
use proptest::prelude::*;

#[test]
fn parents_of_eight_and_nine() {
    let parents = |machines: u64, second: bool| -> Vec<i64> {
        (0..machines).map(|machine| parent(machines, machine, second).map_or(-1, |parent| parent as i64)).collect()
    };
    assert_eq!(parents(8, false), [-1, 2, 4, 2, 0, 6, 4, 6]);
    assert_eq!(parents(8, true), [1, 3, 1, 7, 5, 3, 5, -1]);
    assert_eq!(parents(9, false), [-1, 2, 4, 2, 8, 6, 4, 6, 0]);
    assert_eq!(parents(9, true), [1, -1, 3, 5, 3, 0, 7, 5, 7]);
}

proptest! {
    /// Everyone reaches the only root, nobody has more than two children but the root, which has one; in even numbers nobody is
    /// inner in both trees.
    #[test]
    fn trees_are_binary_and_complement_each_other(machines in 1_u64..600) {
        let mut inner = vec![0; machines as usize];
        for second in [false, true] {
            let mut children = vec![0; machines as usize];
            let mut roots = 0;
            for machine in 0..machines {
                let mut at = machine;
                let mut steps = 0;
                while let Some(above) = parent(machines, at, second) {
                    prop_assert!(above < machines && steps < machines);
                    (at, steps) = (above, steps + 1);
                }
                match parent(machines, machine, second) {
                    Some(above) => children[above as usize] += 1,
                    None => roots += 1,
                }
                prop_assert!(steps <= u64::from(machines.next_power_of_two().trailing_zeros()) + 1);
            }
            prop_assert_eq!(roots, 1);
            for (machine, count) in children.iter().enumerate() {
                let most = if parent(machines, machine as u64, second).is_none() { 1 } else { 2 };
                prop_assert!(*count <= most);
                inner[machine] += u32::from(*count > 0);
            }
        }
        prop_assert!(!machines.is_multiple_of(2) || machines <= 2 || inner.iter().all(|trees| *trees <= 1));
    }
}
