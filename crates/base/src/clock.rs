//! The clock. In a browser, where the standard library has none, it is the page's.

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub use page::Instant;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod page {
    use std::ops::Add;
    use std::time::Duration;

    #[link(wasm_import_module = "ctm")]
    unsafe extern "C" {
        /// Milliseconds since the page was opened, as `performance.now()` gives them.
        safe fn now() -> f64;
    }

    /// A moment, as [`std::time::Instant`] is one elsewhere.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Instant(Duration);

    impl Instant {
        /// The present moment.
        pub fn now() -> Instant {
            Instant(Duration::try_from_secs_f64(now() / 1000.0).unwrap_or_default())
        }

        /// The time since then.
        pub fn elapsed(&self) -> Duration {
            Instant::now().0.saturating_sub(self.0)
        }

        /// The moment after a time; `None` beyond the clock's range.
        pub fn checked_add(&self, time: Duration) -> Option<Instant> {
            self.0.checked_add(time).map(Instant)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Instant;

        fn add(self, time: Duration) -> Instant {
            Instant(self.0 + time)
        }
    }
}
