//! Early end of questions whose answer is no longer needed.
//!
//! An [`Interrupt`] is shared by the caller, who sets it, and the thread that does the work. It applies to all work
//! that the thread does within [`Interrupt::scope`]: loops over links, pairs or pages call [`check`] and return
//! [`Error::Stopped`] once it is set. It belongs to the thread and not to the arguments, because scorers are shared by
//! all questions and may be of another crate. Work that a question spreads over a thread pool carries the interrupt of
//! its thread.

use crate::Error;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that ends a question whose answer is no longer needed.
///
/// ```
/// use llamafur::interrupt::{Interrupt, check};
///
/// let interrupt = Interrupt::default();
/// assert!(interrupt.scope(check).is_ok());
/// interrupt.set();
/// assert!(interrupt.scope(check).is_err());
/// assert!(check().is_ok(), "outside of the scope nothing is interrupted");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

thread_local! {
    static CURRENT: RefCell<Option<Interrupt>> = const { RefCell::new(None) };
}

impl Interrupt {
    /// Interrupts the work, now or when it begins.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the work is interrupted.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Runs work that this interrupt ends early. Scopes nest; the inner one counts.
    pub fn scope<T>(&self, work: impl FnOnce() -> T) -> T {
        let _outer = Outer(CURRENT.replace(Some(self.clone())));
        work()
    }
}

/// The interrupt of a thread, if any, to carry to the threads of a pool.
///
/// Each piece of such work runs in [`Carried::scope`], also without an interrupt: a thread of a pool that waits for its
/// own work may run a piece of another question's.
#[derive(Debug, Clone)]
pub(crate) struct Carried(Option<Interrupt>);

/// Returns the interrupt of this thread, for the threads of a pool.
pub(crate) fn carried() -> Carried {
    Carried(CURRENT.with_borrow(Clone::clone))
}

impl Carried {
    /// Runs work on any thread that the interrupt ends early.
    pub(crate) fn scope<T>(&self, work: impl FnOnce() -> T) -> T {
        let _outer = Outer(CURRENT.replace(self.0.clone()));
        work()
    }
}

/// A guard that restores the interrupt of the outer scope, also after a panic.
struct Outer(Option<Interrupt>);

impl Drop for Outer {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Returns an error if this thread's work is interrupted. It takes nanoseconds; once per link is cheap enough.
///
/// # Errors
/// [`Error::Stopped`], which every question passes on.
#[inline]
pub fn check() -> Result<(), Error> {
    let is_set = CURRENT.with_borrow(|current| current.as_ref().is_some_and(Interrupt::is_set));
    if is_set { Err(Error::Stopped) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inner_scope_counts_and_the_outer_one_comes_back_after_a_panic() {
        let (outer, inner) = (Interrupt::default(), Interrupt::default());
        outer.set();
        outer.scope(|| {
            assert!(inner.scope(check).is_ok());
            let panicked = std::panic::catch_unwind(|| Interrupt::default().scope(|| panic!("in the scope")));
            assert!(panicked.is_err());
            assert!(matches!(check(), Err(Error::Stopped)));
        });
        assert!(check().is_ok());
    }
}
