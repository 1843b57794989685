//! The client's messages, and work during which they are answered.

use super::Adapter;
use super::wire::{self, Message, Request};
use std::collections::VecDeque;
use std::io::{self, BufReader, stdin};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// An event that the adapter waits for.
enum Input {
    Message(Message),
    /// The client is gone, or a header cannot be read. Nothing follows.
    End(anyhow::Result<()>),
    /// The work has ended.
    Done,
}

/// Says that the work has ended, however it does.
struct Ending(Sender<Input>);

impl Drop for Ending {
    fn drop(&mut self) {
        // The receiver waits for it.
        let _ = self.0.send(Input::Done);
    }
}

/// The treatment of a request that arrives during the work.
pub enum Meanwhile {
    /// It has been answered.
    Answered,
    /// It has been answered, and stops the work.
    Stops,
    /// It is handled after the work.
    Waits,
    /// It stops the work and is handled after it.
    Ends,
}

/// The end of the work.
#[derive(Clone, Copy, PartialEq)]
pub enum Ended {
    /// By itself.
    Itself,
    /// A request that has been answered stopped it.
    Stopped,
    /// A request that comes next stopped it, or the end of the input.
    Next,
}

/// The messages of the client.
pub struct Inputs {
    sender: Sender<Input>,
    receiver: Receiver<Input>,
    /// Messages that came during the work and are handled after it.
    later: VecDeque<Input>,
    /// Stops the work.
    flag: Arc<AtomicBool>,
}

impl Inputs {
    /// Reads standard input from now on.
    pub fn new() -> Inputs {
        let (sender, receiver) = channel();
        let send = sender.clone();
        thread::spawn(move || {
            let mut from = BufReader::new(stdin());
            loop {
                let input = match wire::read(&mut from) {
                    Ok(Some(message)) => Input::Message(message),
                    Ok(None) => Input::End(Ok(())),
                    Err(error) => Input::End(Err(error)),
                };
                let is_last = matches!(input, Input::End(_));
                if send.send(input).is_err() || is_last {
                    break;
                }
            }
        });
        Inputs { sender, receiver, later: VecDeque::new(), flag: Arc::default() }
    }

    /// The flag that stops the work.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    fn next(&mut self) -> Input {
        // The receiver does not fail: there is a sender beside it.
        let received = || self.receiver.recv().unwrap_or(Input::End(Ok(())));
        self.later.pop_front().unwrap_or_else(received)
    }
}

impl Adapter {
    /// The next request; `None` at the end of the input.
    pub(super) fn next(&mut self) -> anyhow::Result<Option<Request>> {
        loop {
            match self.inputs.next() {
                Input::Message(Message::Request(request)) => return Ok(Some(request)),
                Input::Message(Message::Strange(why)) => self.tell(&why)?,
                Input::End(how) => return how.map(|()| None),
                Input::Done => {}
            }
        }
    }

    /// Does work in a thread of its own. `meanwhile` gets the requests that arrive, until one of them
    /// stops the work.
    pub(super) fn work<T: Send>(
        &mut self,
        work: impl FnOnce() -> T + Send,
        mut meanwhile: impl FnMut(&mut Adapter, &Request) -> io::Result<Meanwhile>,
    ) -> anyhow::Result<(T, Ended)> {
        let ending = Ending(self.inputs.sender.clone());
        let (mut later, mut ended, mut failed) = (VecDeque::new(), Ended::Itself, Ok(()));
        let result = thread::scope(|scope| {
            let worker = scope.spawn(move || {
                let _ending = ending;
                work()
            });
            loop {
                let input = self.inputs.next();
                let means = match &input {
                    Input::Done => break,
                    _ if ended != Ended::Itself => Ok(Meanwhile::Waits),
                    Input::Message(Message::Request(request)) => meanwhile(self, request),
                    Input::Message(Message::Strange(why)) => {
                        self.tell(why).map(|()| Meanwhile::Answered)
                    }
                    Input::End(_) => Ok(Meanwhile::Ends),
                };
                match means {
                    Ok(Meanwhile::Answered) => {}
                    Ok(Meanwhile::Waits) => later.push_back(input),
                    Ok(Meanwhile::Stops) => ended = Ended::Stopped,
                    Ok(Meanwhile::Ends) => {
                        ended = Ended::Next;
                        later.push_back(input);
                    }
                    Err(error) => {
                        ended = Ended::Next;
                        failed = Err(error);
                    }
                }
                self.inputs.flag.store(ended != Ended::Itself, Ordering::Relaxed);
            }
            worker.join().unwrap_or_else(|panic| resume_unwind(panic))
        });
        self.inputs.flag.store(false, Ordering::Relaxed);
        later.append(&mut self.inputs.later);
        self.inputs.later = later;
        failed?;
        Ok((result, ended))
    }
}
