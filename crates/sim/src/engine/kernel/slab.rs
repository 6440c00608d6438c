//! Things with short lives in one array: a number stays valid until the thing is taken out, and is then given to another.

/// No thing.
pub const NONE: u32 = u32::MAX;

/// An array with vacant places.
#[derive(Debug, Clone)]
pub struct Slab<T> {
    items: Vec<T>,
    vacant: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Slab { items: Vec::new(), vacant: Vec::new() }
    }
}

impl<T> Slab<T> {
    /// Puts a thing in, and gives its number.
    #[inline]
    pub fn insert(&mut self, item: T) -> u32 {
        if let Some(number) = self.vacant.pop() {
            self.items[number as usize] = item;
            number
        } else {
            self.items.push(item);
            (self.items.len() - 1) as u32
        }
    }

    /// How many numbers were ever given away at once.
    #[inline]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Gives the number free. What is there stays readable until it is given away again.
    #[inline]
    pub fn remove(&mut self, number: u32) {
        self.vacant.push(number);
    }
}

impl<T: Default> Slab<T> {
    /// A vacant thing as it was left, or a new one.
    #[inline]
    pub fn reuse(&mut self) -> u32 {
        self.vacant.pop().unwrap_or_else(|| {
            self.items.push(T::default());
            (self.items.len() - 1) as u32
        })
    }
}

impl<T> std::ops::Index<u32> for Slab<T> {
    type Output = T;

    #[inline]
    fn index(&self, number: u32) -> &T {
        &self.items[number as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, number: u32) -> &mut T {
        &mut self.items[number as usize]
    }
}
