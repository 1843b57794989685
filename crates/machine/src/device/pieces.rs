//! Pieces of memory in one block of bytes.

/// The range of a piece, and the command before which it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The index of the command word before which it was found; 0 if it was there before.
    pub before: u32,
    /// The address of its first byte.
    pub address: u32,
    /// Its bytes.
    pub len: u32,
}

/// Pieces of memory, in the order in which they were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    places: Vec<Piece>,
    /// The bytes of all pieces, in order.
    bytes: Vec<u8>,
}

impl Pieces {
    /// No pieces.
    pub const NONE: &Pieces = &Pieces { places: Vec::new(), bytes: Vec::new() };

    /// These places and their bytes; `None` if the lengths do not add up.
    pub fn new(places: Vec<Piece>, bytes: Vec<u8>) -> Option<Pieces> {
        let sum: u64 = places.iter().map(|place| u64::from(place.len)).sum();
        (sum == bytes.len() as u64).then_some(Pieces { places, bytes })
    }

    /// Appends a piece. It continues the last one if it can.
    pub fn push(&mut self, before: u32, address: u32, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        let len = bytes.len() as u32;
        match self.places.last_mut() {
            Some(last)
                if last.before == before
                    && last.address.checked_add(last.len) == Some(address)
                    && last.len.checked_add(len).is_some() =>
            {
                last.len += len;
            }
            _ => self.places.push(Piece { before, address, len }),
        }
    }

    /// Appends other pieces.
    pub fn append(&mut self, mut other: Pieces) {
        if self.places.is_empty() {
            *self = other;
        } else {
            self.places.append(&mut other.places);
            self.bytes.append(&mut other.bytes);
        }
    }

    /// The places, in order.
    pub fn places(&self) -> &[Piece] {
        &self.places
    }

    /// The bytes of all pieces, in order.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Each piece with its bytes.
    pub fn iter(&self) -> Iter<'_> {
        Iter { places: &self.places, bytes: &self.bytes }
    }
}

/// Each piece of [`Pieces`] with its bytes.
#[derive(Clone, Debug, Default)]
pub struct Iter<'a> {
    places: &'a [Piece],
    bytes: &'a [u8],
}

impl<'a> Iter<'a> {
    /// The next piece, if it was found before the command at `offset` or an earlier one.
    pub fn next_before(&mut self, offset: usize) -> Option<(Piece, &'a [u8])> {
        let due = self.places.first().is_some_and(|place| place.before as usize <= offset);
        if due { self.next() } else { None }
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = (Piece, &'a [u8]);

    fn next(&mut self) -> Option<(Piece, &'a [u8])> {
        let (place, places) = self.places.split_first()?;
        let (bytes, rest) = self.bytes.split_at_checked(place.len as usize)?;
        (self.places, self.bytes) = (places, rest);
        Some((*place, bytes))
    }
}
