//! Pages of mapped files that can no longer be read.
//!
//! If another program cuts a file that is mapped, or the disk fails, the system sends SIGBUS to the thread that reads a page
//! beyond the new end, which ends the process. [`handle_lost_pages`] installs a handler: if the page is of one of our
//! maps, the map is marked as lost and zeros are put under the rest of it, so that the reader continues. What it reads
//! is wrong, so every request ends with a look at the marks ([`super::Watch`]), and its answer is discarded. Other
//! signals of this kind go to the handler that was there before.
//!
//! The handler may run at any moment, so it takes no lock and no memory: the maps are in a list of slots that only grows, and
//! a slot is two numbers. `start` is written last when a map is entered and cleared first when it is removed; the handler
//! reads it before and after `end`, so that it never takes the ends of two maps for one. The map that a thread is reading
//! when the signal comes is not removed meanwhile, and maps that exist at the same time do not overlap.
//!
//! Unsafe, since a signal handler is installed and pages are mapped over others.
#![allow(unsafe_code)]

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A range of addresses that belongs to a map.
#[derive(Debug)]
struct Slot {
    /// The first address; 0 where the slot is free.
    start: AtomicUsize,
    end: AtomicUsize,
    is_lost: AtomicBool,
}

impl Slot {
    const fn free() -> Slot {
        Slot { start: AtomicUsize::new(0), end: AtomicUsize::new(0), is_lost: AtomicBool::new(false) }
    }
}

/// Slots in a part of the list.
const SLOTS: usize = 64;

/// A part of the list of slots.
struct Slots {
    slots: [Slot; SLOTS],
    next: AtomicPtr<Slots>,
}

impl Slots {
    const fn new() -> Slots {
        Slots { slots: [const { Slot::free() }; SLOTS], next: AtomicPtr::new(std::ptr::null_mut()) }
    }

    fn next(&self) -> Option<&'static Slots> {
        // SAFETY: what is put there by `take_slot` is never freed.
        unsafe { self.next.load(Ordering::SeqCst).as_ref() }
    }
}

static FIRST: Slots = Slots::new();

/// The lock under which a slot is taken.
static TAKING: Mutex<()> = Mutex::new(());

/// Returns all parts of the list.
fn parts() -> impl Iterator<Item = &'static Slots> {
    std::iter::successors(Some(&FIRST), |part| part.next())
}

/// The entry of a map, removed when this is dropped, which must be before the map is.
#[derive(Debug)]
pub(super) struct Entry(Option<&'static Slot>);

impl Entry {
    /// Enters the addresses of a map.
    pub(super) fn new(map: &[u8]) -> Entry {
        if map.is_empty() {
            return Entry(None);
        }
        let Range { start, end } = map.as_ptr_range();
        let slot = take_slot();
        slot.is_lost.store(false, Ordering::SeqCst);
        slot.end.store(end as usize, Ordering::SeqCst);
        slot.start.store(start as usize, Ordering::SeqCst);
        Entry(Some(slot))
    }

    /// Returns whether a page of the map could not be read.
    pub(super) fn is_lost(&self) -> bool {
        self.0.is_some_and(|slot| slot.is_lost.load(Ordering::SeqCst))
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if let Some(slot) = self.0 {
            slot.start.store(0, Ordering::SeqCst);
        }
    }
}

/// Takes a free slot.
fn take_slot() -> &'static Slot {
    let _taking = TAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let is_free = |slot: &&Slot| {
        // One that is taken and not yet filled in has a start that no map has.
        slot.start.compare_exchange(0, usize::MAX, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    };
    loop {
        if let Some(slot) = parts().flat_map(|part| &part.slots).find(is_free) {
            return slot;
        }
        let more = Box::into_raw(Box::new(Slots::new()));
        if let Some(last) = parts().last() {
            last.next.store(more, Ordering::SeqCst);
        }
    }
}

/// Keeps the process alive when a mapped file was cut or cannot be read: the request that was reading it fails with
/// [`Error::Changed`](crate::Error::Changed). To be called once by programs; further calls do nothing. Elsewhere than
/// on Unix, mapped files cannot be cut, and this does nothing.
///
/// # Errors
/// If the system does not allow a handler of SIGBUS.
pub fn handle_lost_pages() -> io::Result<()> {
    #[cfg(unix)]
    handler::install()?;
    Ok(())
}

#[cfg(unix)]
mod handler {
    use super::{Ordering, Slot, parts};
    use libc::{c_int, c_void, sigaction, siginfo_t};
    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
    use std::io;
    use std::sync::OnceLock;

    /// The handler that was installed before, and the size of a page.
    static BEFORE: OnceLock<(sigaction, usize)> = OnceLock::new();

    pub(super) fn install() -> io::Result<()> {
        static INSTALLED: OnceLock<()> = OnceLock::new();
        let mut result = Ok(());
        INSTALLED.get_or_init(|| result = install_now());
        result
    }

    fn install_now() -> io::Result<()> {
        // SAFETY: plain data, for which zeros are valid values.
        let (mut before, mut ours): (sigaction, sigaction) =
            unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
        // SAFETY: asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).map_err(io::Error::other)?;
        // SAFETY: both pointers are valid or null, as the call allows.
        check(unsafe { sigaction(libc::SIGBUS, std::ptr::null(), &raw mut before) })?;
        // Before the handler is there, which reads it.
        BEFORE.get_or_init(|| (before, page));
        ours.sa_sigaction = on_bus_error as *const () as usize;
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: the handler only does what is allowed in one: it reads atomics and maps memory.
        check(unsafe { sigaction(libc::SIGBUS, &raw const ours, std::ptr::null_mut()) })
    }

    fn check(result: c_int) -> io::Result<()> {
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    extern "C" fn on_bus_error(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        // SAFETY: the system hands over a valid description of the signal; of one that a program sent there is no address.
        let address = unsafe { if (*info).si_code > 0 { (*info).si_addr() as usize } else { 0 } };
        let slot = parts().flat_map(|part| &part.slots).find_map(|slot| Some((slot, end_of(slot, address)?)));
        match slot {
            Some((slot, end)) if put_zeros(slot, address, end) => {}
            _ => pass_on(signal, info, context),
        }
    }

    /// Returns the end of the map of this slot, if the address is in it.
    fn end_of(slot: &Slot, address: usize) -> Option<usize> {
        loop {
            let start = slot.start.load(Ordering::SeqCst);
            let end = slot.end.load(Ordering::SeqCst);
            if start == 0 || start > address {
                return None;
            }
            if slot.start.load(Ordering::SeqCst) == start {
                return (address < end).then_some(end);
            }
        }
    }

    /// Marks a map as lost, and puts zeros under it from the page of this address on.
    fn put_zeros(slot: &Slot, address: usize, end: usize) -> bool {
        let Some((_, page)) = BEFORE.get() else { return false };
        slot.is_lost.store(true, Ordering::SeqCst);
        let from = address / page * page;
        // SAFETY: the range lies within a map of ours that is being read, so that it is not unmapped meanwhile; its
        // readers hold references to plain numbers, for which zeros are valid, and their answers are thrown away.
        let mapped = unsafe {
            mmap_anonymous(
                from as *mut c_void,
                end.next_multiple_of(*page) - from,
                ProtFlags::READ,
                MapFlags::FIXED | MapFlags::PRIVATE,
            )
        };
        mapped.is_ok()
    }

    /// Calls the handler that was installed before, or does what the system does by default.
    fn pass_on(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        let before = BEFORE.get().map(|(before, _)| before);
        let handler = before.map_or(libc::SIG_DFL, |before| before.sa_sigaction);
        if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
            // SAFETY: the default ends the process, when the instruction is tried again or by the signal sent anew.
            unsafe {
                libc::signal(signal, libc::SIG_DFL);
                libc::raise(signal);
            }
            return;
        }
        let with_info = before.is_some_and(|before| before.sa_flags & libc::SA_SIGINFO != 0);
        // SAFETY: the system was given this address as that of a handler of this kind.
        unsafe {
            if with_info {
                let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = std::mem::transmute(handler);
                handler(signal, info, context);
            } else {
                let handler: extern "C" fn(c_int) = std::mem::transmute(handler);
                handler(signal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_free_again_when_their_maps_are_gone() {
        let memory = vec![0u8; 4096];
        let slots = || parts().count() * SLOTS;
        let all: Vec<Entry> = (0..3 * SLOTS).map(|_| Entry::new(&memory)).collect();
        let most = slots();
        assert!(most >= 3 * SLOTS && all.iter().all(|entry| !entry.is_lost()));
        drop(all);
        let again: Vec<Entry> = (0..3 * SLOTS).map(|_| Entry::new(&memory)).collect();
        drop(again);
        assert!(slots() <= most + SLOTS, "other tests take some too");
    }
}
