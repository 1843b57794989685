//! The waiting jobs, handed out so that the running ones fit into memory together.

use super::tasks::Task;
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;

/// The most bytes that large jobs running concurrently may take together. A larger job runs as the
/// only large one.
const LARGE: u64 = 384 << 20;

/// The same for small jobs. They have separate room, so that no slow large job keeps them waiting.
const SMALL: u64 = 128 << 20;

/// The most bytes that a small job takes.
const MOST: u64 = SMALL / 16;

/// The number of waiting jobs searched for one that fits.
const AHEAD: usize = 1024;

/// The jobs that wait.
pub struct Queue<'t> {
    state: Mutex<State<'t>>,
    /// A job has ended, or the queue was closed.
    changed: Condvar,
}

struct State<'t> {
    waiting: VecDeque<&'t Task>,
    /// Bytes of the running small jobs and of the running large jobs.
    small: u64,
    large: u64,
}

impl<'t> State<'t> {
    /// The bytes taken by running jobs of this task's class, small or large.
    fn taken(&mut self, task: &Task) -> &mut u64 {
        match task.bytes <= MOST {
            true => &mut self.small,
            false => &mut self.large,
        }
    }

    /// Takes the first waiting job that fits.
    fn take(&mut self) -> Option<&'t Task> {
        let (small, large) = (self.small, self.large);
        let fits = |task: &&Task| match task.bytes <= MOST {
            true => small.saturating_add(task.bytes) <= SMALL,
            false => large == 0 || large.saturating_add(task.bytes) <= LARGE,
        };
        let at = self.waiting.iter().take(AHEAD).position(fits)?;
        let task = self.waiting.remove(at)?;
        *self.taken(task) += task.bytes;
        Some(task)
    }
}

impl<'t> Queue<'t> {
    /// A queue of jobs.
    pub fn new(tasks: impl IntoIterator<Item = &'t Task>) -> Queue<'t> {
        Queue {
            state: Mutex::new(State { waiting: tasks.into_iter().collect(), small: 0, large: 0 }),
            changed: Condvar::new(),
        }
    }

    /// The next job; waits for room. Jobs come in order, except those that do not fit yet. `None`
    /// if no job waits.
    pub fn next(&self) -> Option<Taken<'_, 't>> {
        let mut state = self.state.lock();
        loop {
            if state.waiting.is_empty() {
                return None;
            }
            if let Some(task) = state.take() {
                return Some(Taken { task, queue: self });
            }
            self.changed.wait(&mut state);
        }
    }

    /// The number of waiting jobs.
    pub fn len(&self) -> usize {
        self.state.lock().waiting.len()
    }

    /// Hands out no more jobs.
    pub fn close(&self) {
        self.state.lock().waiting.clear();
        self.changed.notify_all();
    }
}

/// A job that was handed out. Dropping this frees its room.
pub struct Taken<'q, 't> {
    /// The job.
    pub task: &'t Task,
    queue: &'q Queue<'t>,
}

impl Drop for Taken<'_, '_> {
    fn drop(&mut self) {
        let mut state = self.queue.state.lock();
        *state.taken(self.task) -= self.task.bytes;
        drop(state);
        self.queue.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(name: &str, bytes: u64) -> Task {
        Task { path: name.into(), name: name.to_string(), bytes }
    }

    #[test]
    fn what_runs_fits_into_memory_together() {
        let tasks = [
            task("a", LARGE / 2),
            task("b", LARGE / 2 + 1),
            task("c", LARGE / 2),
            task("d", 3 * LARGE),
            task("e", MOST + 1),
        ];
        let queue = Queue::new(&tasks);
        let next = || queue.next().expect("one waits");
        let (a, c) = (next(), next());
        assert_eq!((a.task.name.as_str(), c.task.name.as_str()), ("a", "c"));
        // Nothing else fits.
        assert!(queue.state.lock().take().is_none());
        drop(a);
        let e = next();
        assert_eq!(e.task.name, "e");
        drop((c, e));
        let b = next();
        assert_eq!(b.task.name, "b");
        assert!(queue.state.lock().take().is_none());
        drop(b);
        // A job larger than the limit runs as the only large one.
        let d = next();
        assert_eq!(d.task.name, "d");
        assert!(queue.next().is_none());
        drop(d);
        let state = queue.state.lock();
        assert_eq!((state.small, state.large), (0, 0));
    }

    #[test]
    fn small_jobs_have_room_beside_large_ones() {
        let mut tasks = vec![task("large", 3 * LARGE), task("next", LARGE)];
        tasks.extend((0..17).map(|n| task(&format!("small {n}"), MOST)));
        let queue = Queue::new(&tasks);
        let running: Vec<_> = (0..17).map(|_| queue.next().expect("room")).collect();
        assert_eq!(running[0].task.name, "large");
        assert_eq!(running[16].task.name, "small 15");
        assert!(queue.state.lock().take().is_none());
        assert_eq!(queue.len(), 2);
    }

    #[test]
    fn a_closed_queue_hands_out_nothing() {
        let tasks = [task("a", 2 * LARGE), task("b", 2 * LARGE)];
        let queue = Queue::new(&tasks);
        let a = queue.next().expect("it is alone");
        std::thread::scope(|scope| {
            // Waits for room that never comes.
            let waits = scope.spawn(|| queue.next().is_none());
            queue.close();
            assert!(waits.join().expect("no panic"));
        });
        drop(a);
    }
}
