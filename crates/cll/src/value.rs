//! What can be recorded: numbers.

use std::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64,
    NonZeroUsize,
};

/// A number of any primitive type, or a reference to one. It is recorded as an `f64`: whole numbers are exact up to
/// 2^53, about 9e15.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number that can be recorded",
    label = "not a number",
    note = "record a number of it: vars(n = data.len())"
)]
pub trait Value {
    /// The value that goes into the trace.
    fn value(&self) -> f64;
}

macro_rules! primitive {
    ($($number:ty)*) => {$(
        impl Value for $number {
            #[inline(always)]
            fn value(&self) -> f64 {
                // Where the macro's number is an f64, or the conversion is exact, too.
                #[allow(clippy::unnecessary_cast, clippy::cast_lossless)]
                { *self as f64 }
            }
        }
    )*};
}

macro_rules! non_zero {
    ($($number:ty)*) => {$(
        impl Value for $number {
            #[inline(always)]
            fn value(&self) -> f64 {
                self.get().value()
            }
        }
    )*};
}

primitive! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 }
non_zero! { NonZeroU8 NonZeroU16 NonZeroU32 NonZeroU64 NonZeroUsize NonZeroI8 NonZeroI16 NonZeroI32 NonZeroI64 NonZeroIsize }

impl<T: Value + ?Sized> Value for &T {
    #[inline(always)]
    fn value(&self) -> f64 {
        (**self).value()
    }
}

impl<T: Value + ?Sized> Value for &mut T {
    #[inline(always)]
    fn value(&self) -> f64 {
        (**self).value()
    }
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn numbers_and_references_to_numbers_are_values() {
        assert_eq!(7usize.value(), 7.0);
        assert_eq!((-3i8).value(), -3.0);
        assert_eq!(0.5f32.value(), 0.5);
        assert_eq!((1u64 << 53).value(), 9_007_199_254_740_992.0);
        assert_eq!(u128::MAX.value(), 340_282_366_920_938_463_463_374_607_431_768_211_456.0);
        assert_eq!((&&mut 4u16).value(), 4.0);
        assert_eq!(std::num::NonZeroUsize::MIN.value(), 1.0);
    }
}
