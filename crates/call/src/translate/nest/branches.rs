//! The sides of `#if`: each begins with what was open before it.

use super::{State, Walker, open_region};

/// Open `#if` at once.
pub const MOST: usize = 200;

/// An open `#if`.
pub struct Branch {
    before: State,
    /// State at the end of its first branch: parsing continues from there after the `#endif`.
    after_first: Option<State>,
}

impl Walker<'_> {
    pub(super) fn branch_opens(&mut self) {
        self.forget_jumps();
        self.branches.push(Branch { before: self.state.clone(), after_first: None });
        self.last_side += 1;
        self.sides.push(self.last_side);
    }

    pub(super) fn branch_changes(&mut self, place: usize) {
        self.cut_side(place);
        self.forget_jumps();
        self.last_side += 1;
        let side = self.last_side;
        if let (Some(branch), Some(known)) = (self.branches.last_mut(), self.sides.last_mut()) {
            *known = side;
            let after = std::mem::replace(&mut self.state, branch.before.clone());
            match &mut branch.after_first {
                Some(first) => first.join_returns(&after, &branch.before),
                first => *first = Some(after),
            }
        }
    }

    pub(super) fn branch_closes(&mut self, place: usize) {
        self.cut_side(place);
        if let Some(branch) = self.branches.pop() {
            self.sides.pop();
            if let Some(mut after) = branch.after_first {
                after.join_returns(&self.state, &branch.before);
                self.state = after;
            }
        }
        self.forget_jumps();
    }

    /// A jump in one branch of an `#if` does not affect what follows the `#endif`.
    fn forget_jumps(&mut self) {
        for frame in &mut self.state.frames {
            frame.leaves = false;
            frame.first_leaves = false;
        }
    }

    /// Regions that began on this side end with it.
    fn cut_side(&mut self, place: usize) {
        if self.branches.is_empty() {
            return;
        }
        let side = self.sides.last().copied().unwrap_or(0);
        let frames = std::mem::take(&mut self.state.frames);
        for frame in frames {
            match open_region(&frame) {
                Some(number) if self.regions[number as usize].side == side => self.cut.push((number, place)),
                _ => self.state.frames.push(frame),
            }
        }
    }
}
