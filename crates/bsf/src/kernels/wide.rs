//! The same code compiled for several widths of vectors; the processor that runs it decides which one is called.

/// Width of vectors; only widths that this processor supports can be constructed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vectors(Width);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Width {
    /// The width that every processor of this architecture supports.
    Portable,
    /// 256 bits.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512 bits.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// Code that benefits from wide vectors. It must be inlined, loops and all, to be compiled again for each width.
pub(super) trait Kernel {
    type Out;

    fn run(self) -> Self::Out;
}

impl Vectors {
    /// The widest vectors of this processor.
    pub fn widest() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                return Vectors(Width::Avx512);
            }
            if is_x86_feature_detected!("avx2") {
                return Vectors(Width::Avx2);
            }
        }
        Vectors(Width::Portable)
    }

    /// All widths that this processor has, the narrowest first.
    pub fn available() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        let wide =
            [(is_x86_feature_detected!("avx2"), Width::Avx2), (is_x86_feature_detected!("avx512f"), Width::Avx512)];
        #[cfg(not(target_arch = "x86_64"))]
        let wide = [];
        let wide = wide.into_iter().filter_map(|(is_there, width): (bool, Width)| is_there.then_some(width));
        std::iter::once(Width::Portable).chain(wide).map(Vectors).collect()
    }

    /// Name of the width.
    pub fn name(self) -> &'static str {
        match self.0 {
            Width::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Width::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Width::Avx512 => "avx512f",
        }
    }

    /// Runs a kernel with vectors of this width.
    #[cfg_attr(
        target_arch = "x86_64",
        expect(unsafe_code, reason = "code for a certain processor may run only on that processor")
    )]
    pub(super) fn run<K: Kernel>(self, kernel: K) -> K::Out {
        match self.0 {
            Width::Portable => kernel.run(),
            // SAFETY: `Vectors` is made in this file alone, and of a width that was detected.
            #[cfg(target_arch = "x86_64")]
            Width::Avx2 => unsafe { with_avx2(kernel) },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            Width::Avx512 => unsafe { with_avx512(kernel) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<K: Kernel>(kernel: K) -> K::Out {
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn with_avx512<K: Kernel>(kernel: K) -> K::Out {
    kernel.run()
}
