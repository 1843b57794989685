//! Going to a place as an editor does: wherever it is, and nothing stops on the way.

use super::error::DebugError;
use super::movement::{Direction, Goal, Halt};
use super::session::{Done, Position, Session};
use super::stops::{Cause, Location, Stops};

impl Session<'_> {
    /// Goes to the nearest moment at which the next instruction is at a place: later in this group,
    /// else before in this group, else in later groups, else in those before. Nothing stops on the
    /// way, and no hit counts. In the same group the same point is looked at.
    ///
    /// # Errors
    /// If the place is nowhere in the job or never reached; the session is then where it was.
    pub fn go_to_place(&mut self, place: &Location) -> Done<()> {
        self.check_place(place)?;
        let stops = std::mem::take(&mut self.stops);
        let handed = std::mem::take(&mut self.handed);
        let (origin, point) = (self.position(), self.point());
        let start = self.here();
        let result = self.seek(place, origin);
        (self.stops, self.handed) = (stops, handed);
        if matches!(result, Ok(true)) {
            let here = self.position();
            if (here.launch, here.group) == (origin.launch, origin.group) {
                self.look_at(point.0, point.1)?;
            }
            return Ok(());
        }
        self.return_to(start);
        result?;
        Err(DebugError(format!("{place}: no group runs it")))
    }

    /// Goes to the first instruction of the job. Stops stay, with the hits that they have counted.
    ///
    /// # Errors
    /// If the run is stopped.
    pub fn go_to_start(&mut self) -> Done<()> {
        if let Some(start) = self.launches.next(0, 0)? {
            self.enter(start);
        }
        Ok(())
    }

    fn seek(&mut self, place: &Location, origin: Position) -> Done<bool> {
        use Direction::{Back, Forward};
        let cause = Cause::At(place.clone());
        self.stops.add(cause, None, None);
        let is_there = |halt: Halt| matches!(halt, Halt::Stops(_));
        if self.moment().end.is_none() && is_there(self.run(Forward, &Goal::GroupEnd)?) {
            return Ok(true);
        }
        self.go_back_to(origin)?;
        if origin.step > 0 && is_there(self.run(Back, &Goal::GroupStart)?) {
            return Ok(true);
        }
        self.stops = Stops::default();
        let goal = Goal::Location(place.clone());
        if self.run(Forward, &goal)? == Halt::Goal {
            return Ok(true);
        }
        self.go_back_to(origin)?;
        Ok(self.run(Back, &goal)? == Halt::Goal)
    }

    fn go_back_to(&mut self, position: Position) -> Done<()> {
        self.go_to_group(position.launch, position.group)?;
        self.go_to_step(position.step)
    }
}
