//! Events of the terminal.

use super::Signals;
use anyhow::{Context, bail};
use ratatui::crossterm::event::{Event, KeyEventKind, poll, read};
use std::time::Duration;

/// The time to wait for the terminal before signals are looked at.
const WAIT: Duration = Duration::from_millis(100);

/// The time that crossterm 0.29 may look for an event. In no time at all it would not look; without
/// a limit it would read a closed terminal for ever.
const LOOK: Duration = Duration::from_millis(1);

/// Whether the terminal is gone. Crossterm does not say so.
#[cfg(unix)]
fn is_gone(wait: Duration) -> anyhow::Result<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = std::io::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    let wait = Timespec { tv_sec: 0, tv_nsec: wait.subsec_nanos().into() };
    match poll(&mut fds, Some(&wait)) {
        // A signal, such as that of a new size.
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error).context("cannot wait for the terminal"),
        Ok(_) => {
            let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
            Ok(fds[0].revents().intersects(gone))
        }
    }
}

/// Whether the terminal is gone: consoles stay.
#[cfg(not(unix))]
fn is_gone(_wait: Duration) -> anyhow::Result<bool> {
    Ok(false)
}

/// The event that is there now.
///
/// # Errors
/// If the terminal is gone or cannot be read.
pub fn now() -> anyhow::Result<Option<Event>> {
    if is_gone(Duration::ZERO)? {
        bail!("the terminal is closed");
    }
    let there = poll(LOOK).context("cannot read the terminal")?;
    let event = there.then(read).transpose().context("cannot read the terminal")?;
    // Some terminals also report that a key is released.
    Ok(event.filter(|event| !matches!(event, Event::Key(key) if key.kind == KeyEventKind::Release)))
}

/// The next event; `None` once a signal came.
///
/// # Errors
/// As [`now`].
pub fn next(signals: &Signals) -> anyhow::Result<Option<Event>> {
    while !signals.came() {
        if let Some(event) = now()? {
            return Ok(Some(event));
        }
        if cfg!(unix) {
            is_gone(WAIT)?;
        } else {
            poll(WAIT).context("cannot read the terminal")?;
        }
    }
    Ok(None)
}
