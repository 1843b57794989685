//! Panics as errors. A panic is a mistake of the project; where one thing of many is worked on, it is an error of
//! that thing, and the others go on.
//!
//! In WebAssembly a panic ends the module: nothing is caught there, and the page begins again.

use parking_lot::Mutex;
use std::any::Any;
use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Once};
use std::thread::ThreadId;

/// A panic that was caught.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("internal error: {}; this is a mistake of ctm", self.what())]
pub struct Panic {
    /// Its message.
    pub message: String,
    /// The library and the file in it, with the line; empty if it is not known.
    pub place: String,
}

impl Panic {
    /// The message and the place.
    pub fn what(&self) -> String {
        if self.place.is_empty() {
            self.message.clone()
        } else {
            format!("{} ({})", self.message, self.place)
        }
    }
}

/// A panic: its thread, message and place. The thread that catches it may be another one, because
/// rayon passes it on.
struct Seen {
    thread: ThreadId,
    message: String,
    place: String,
}

/// The last panics that were not caught yet, at most this many.
static SEEN: Mutex<VecDeque<Seen>> = Mutex::new(VecDeque::new());
const KEPT: usize = 64;

/// Whether the process has no threads but those of ctm.
static ALONE: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread works for a [`catch`].
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`. A panic in it, also one that rayon passes on from another thread, is an error and prints nothing
/// (on another thread: after [`all_are_caught`]). What `work` was changing is as the panic left it.
///
/// # Errors
/// The panic.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    // A panic ends the module there, and the page has its own hook.
    if cfg!(all(target_arch = "wasm32", target_os = "unknown")) {
        return Ok(work());
    }
    watch();
    let before = CAUGHT.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(before);
    done.map_err(|payload| of(payload.as_ref()))
}

/// Says that every thread of the process works for a [`catch`]: no panic prints anything from now on.
pub fn all_are_caught() {
    watch();
    ALONE.store(true, Ordering::Relaxed);
}

/// The panic with this payload, of this thread or of one that works for it.
fn of(payload: &(dyn Any + Send)) -> Panic {
    let message = message(payload);
    let this = std::thread::current().id();
    let mut seen = SEEN.lock();
    let same = |seen: &Seen| seen.message == message;
    let own = seen.iter().rposition(|seen| same(seen) && seen.thread == this);
    let found = own.or_else(|| seen.iter().rposition(same)).and_then(|n| seen.remove(n));
    Panic { place: found.map(|seen| seen.place).unwrap_or_default(), message }
}

/// The text of a panic.
fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref().copied()).unwrap_or("no message").to_string()
}

/// Has the process note its panics.
fn watch() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let alone = ALONE.load(Ordering::Relaxed);
            // A thread that ends has no variables any more.
            if !alone && !CAUGHT.try_with(Cell::get).unwrap_or(false) {
                others(panic);
            }
            note(panic);
        }));
    });
}

fn note(panic: &PanicHookInfo<'_>) {
    let (thread, place) = (std::thread::current().id(), panic.location());
    let place = place.map(|place| relative(&place.to_string())).unwrap_or_default();
    let mut seen = SEEN.lock();
    if seen.len() == KEPT {
        seen.pop_front();
    }
    seen.push_back(Seen { thread, message: message(panic.payload()), place });
}

/// A place without the folder that the library had on the machine that built it.
fn relative(place: &str) -> String {
    match place.rsplit_once("/src/") {
        Some((before, after)) => {
            format!("{}, {after}", before.rsplit('/').next().unwrap_or_default())
        }
        None => place.to_string(),
    }
}

/// Panics for tests, if `CTM_PANIC` is `PLACE=PART`, this is the place and the name has that part.
#[track_caller]
pub fn point(place: &str, name: impl FnOnce() -> String) {
    static ASKED: LazyLock<Option<(String, String)>> = LazyLock::new(|| {
        let asked = std::env::var("CTM_PANIC").ok()?;
        asked.split_once('=').map(|(place, part)| (place.to_string(), part.to_string()))
    });
    if let Some((asked, part)) = &*ASKED
        && asked == place
    {
        let name = name();
        assert!(!name.contains(part), "CTM_PANIC: {place} of {name}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_has_its_message_and_place() {
        assert_eq!(catch(|| 3), Ok(3));
        let n = 7;
        let line = line!() + 1;
        let panic = catch(|| assert!(n == 0, "odd: {n}")).expect_err("it panics");
        assert_eq!(panic.message, "odd: 7");
        let place = format!("base, panics.rs:{line}:");
        assert!(panic.place.starts_with(&place), "{}", panic.place);
        let what = panic.what();
        assert_eq!(panic.to_string(), format!("internal error: {what}; this is a mistake of ctm"));
        // A place is that of its own panic, and there may be none.
        let unknown = catch(|| std::panic::resume_unwind(Box::new("odd: 7"))).expect_err("again");
        assert_eq!(unknown.what(), "odd: 7");
        let unknown = catch(|| std::panic::panic_any(7)).expect_err("no text");
        assert!(unknown.what().starts_with("no message (base, panics.rs:"), "{}", unknown.what());
    }

    #[test]
    fn a_panic_of_another_thread_keeps_its_place() {
        let line = line!() + 2;
        let other =
            || std::thread::spawn(|| catch(|| panic!("elsewhere")).map_err(|panic| panic.place));
        let place = other().join().expect("it is caught").expect_err("it panics");
        assert!(place.starts_with(&format!("base, panics.rs:{line}:")), "{place}");
        let passed = catch(|| {
            let worker = std::thread::Builder::new().spawn(|| {
                CAUGHT.set(true);
                panic!("on a worker")
            });
            let payload = worker.expect("a thread").join().expect_err("it panics");
            std::panic::resume_unwind(payload);
        });
        let passed = passed.expect_err("it is passed on");
        assert!(passed.place.starts_with("base, panics.rs:"), "{}", passed.place);
    }

    #[test]
    fn a_catch_inside_another_one_leaves_the_outer_one_quiet() {
        let caught = catch(|| {
            let inner = catch(|| panic!("inner")).expect_err("it panics");
            assert!(CAUGHT.get(), "{inner}");
            std::panic::panic_any("outer".to_string())
        });
        assert_eq!(caught.expect_err("it panics").message, "outer");
        assert!(!CAUGHT.get());
    }

    #[test]
    fn places_name_libraries_and_no_folders() {
        for (place, shown) in [
            (
                "/root/.cargo/registry/src/index-1/png-0.18.1/src/decoder/mod.rs:4:1",
                "png-0.18.1, decoder/mod.rs:4:1",
            ),
            ("crates/compiler/src/lower/flow.rs:375:9", "compiler, lower/flow.rs:375:9"),
            ("src/capi/ffi.rs:73:24", "src/capi/ffi.rs:73:24"),
            ("/rustc/59807616e/library/core/src/option.rs:1:1", "core, option.rs:1:1"),
        ] {
            assert_eq!(relative(place), shown);
        }
    }
}
