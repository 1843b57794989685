//! The waiting jobs, handed out so that the running ones fit into memory together. Jobs may arrive
//! while others run.

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
#[derive(Default)]
pub struct Queue {
    state: Mutex<State>,
    /// A job has arrived or ended, or the queue was closed.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Task>,
    /// Whether no more jobs arrive.
    complete: bool,
    /// Bytes of the running small jobs and of the running large jobs.
    small: u64,
    large: u64,
}

impl State {
    /// The bytes taken by running jobs of this task's class, small or large.
    fn taken(&mut self, task: &Task) -> &mut u64 {
        if task.bytes <= MOST { &mut self.small } else { &mut self.large }
    }

    /// Takes the first waiting job that fits.
    fn take(&mut self) -> Option<Task> {
        let (small, large) = (self.small, self.large);
        let fits = |task: &Task| {
            if task.bytes <= MOST {
                small.saturating_add(task.bytes) <= SMALL
            } else {
                large == 0 || large.saturating_add(task.bytes) <= LARGE
            }
        };
        let at = self.waiting.iter().take(AHEAD).position(fits)?;
        let task = self.waiting.remove(at)?;
        *self.taken(&task) += task.bytes;
        Some(task)
    }
}

impl Queue {
    /// Adds a job.
    pub fn push(&self, task: Task) {
        self.state.lock().waiting.push_back(task);
        self.changed.notify_one();
    }

    /// Says that no more jobs arrive.
    pub fn complete(&self) {
        self.state.lock().complete = true;
        self.changed.notify_all();
    }

    /// The next job; waits for one to arrive, and for room. Jobs come in order, except those that
    /// do not fit yet. `None` if no job waits and no more arrive.
    pub fn next(&self) -> Option<Taken<'_>> {
        let mut state = self.state.lock();
        loop {
            if state.complete && state.waiting.is_empty() {
                return None;
            }
            if let Some(task) = state.take() {
                return Some(Taken { task, queue: self });
            }
            self.changed.wait(&mut state);
        }
    }

    /// The next jobs, at least one and at most `most`: more than one only if they wait already and have room. Empty if
    /// none waits and no more arrive.
    pub fn next_several(&self, most: usize) -> Vec<Taken<'_>> {
        let mut several: Vec<Taken<'_>> = self.next().into_iter().collect();
        if !several.is_empty() {
            let mut state = self.state.lock();
            let more = std::iter::from_fn(|| state.take());
            several.extend(more.take(most - 1).map(|task| Taken { task, queue: self }));
        }
        several
    }

    /// The number of waiting jobs.
    pub fn len(&self) -> usize {
        self.state.lock().waiting.len()
    }

    /// Hands out no more jobs.
    pub fn close(&self) {
        let mut state = self.state.lock();
        state.waiting.clear();
        state.complete = true;
        drop(state);
        self.changed.notify_all();
    }
}

/// A job that was handed out. Dropping this frees its room.
pub struct Taken<'q> {
    /// The job.
    pub task: Task,
    queue: &'q Queue,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.state.lock();
        *state.taken(&self.task) -= self.task.bytes;
        drop(state);
        self.queue.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(name: &str, bytes: u64) -> Task {
        Task { path: name.into(), text: None, packed: None, name: name.to_string(), row: 0, bytes }
    }

    fn queue(tasks: impl IntoIterator<Item = Task>) -> Queue {
        let queue = Queue::default();
        tasks.into_iter().for_each(|task| queue.push(task));
        queue.complete();
        queue
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
        let queue = queue(tasks);
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
        let queue = queue(tasks);
        let running: Vec<_> = (0..17).map(|_| queue.next().expect("room")).collect();
        assert_eq!(running[0].task.name, "large");
        assert_eq!(running[16].task.name, "small 15");
        assert!(queue.state.lock().take().is_none());
        assert_eq!(queue.len(), 2);
    }

    #[test]
    fn jobs_arrive_while_a_worker_waits() {
        let queue = Queue::default();
        std::thread::scope(|scope| {
            let names = scope.spawn(|| {
                std::iter::from_fn(|| queue.next().map(|taken| taken.task.name.clone()))
                    .collect::<Vec<_>>()
            });
            queue.push(task("a", 1));
            queue.push(task("b", 1));
            queue.complete();
            assert_eq!(names.join().expect("no panic"), ["a", "b"]);
        });
    }

    #[test]
    fn a_closed_queue_hands_out_nothing() {
        let tasks = [task("a", 2 * LARGE), task("b", 2 * LARGE)];
        let queue = queue(tasks);
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
