//! The executable specification (being written).
