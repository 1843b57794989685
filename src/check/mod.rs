//! Checks over whole runs: the comparison of engines and the program generator.
