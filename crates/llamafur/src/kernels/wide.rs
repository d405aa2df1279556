//! The widest registers that the processor at hand has.

/// Work that may be compiled for wide registers. Its `run` must be marked `#[inline(always)]`, and so must be all
/// that it calls, or it will not be.
pub(crate) trait Wide {
    /// Does the work.
    fn run(self);
}

/// Does the work with the widest registers there are. They change how many numbers are worked on at a time, not
/// in which order sums are made: the result has the same bits.
pub(crate) fn run_wide(work: impl Wide) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, as it was just asked.
        return unsafe { run_avx2(work) };
    }
    work.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2(work: impl Wide) {
    work.run();
}

/// Does the work with AVX-512, where there is some: for long loops of plain sums. Others may run slower, since the
/// processor lowers its frequency and short loops do not fill such registers.
pub(crate) fn run_widest(work: impl Wide) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor has AVX-512F, as it was just asked.
        return unsafe { run_avx512(work) };
    }
    run_wide(work);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn run_avx512(work: impl Wide) {
    work.run();
}
