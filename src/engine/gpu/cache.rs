//! Pipelines on disk.
