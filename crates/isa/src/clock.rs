//! The clock. In a browser, where the standard library has none, it is the page's.

pub use web_time::Instant;
