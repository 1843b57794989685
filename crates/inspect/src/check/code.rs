//! The kinds of findings.

use ctm_base::named;
use ctm_lang::program::Severity;

named! {
    /// A kind of finding. The name is its code in reports, options and comments. docs/checks.md has
    /// a page for each. The first group is found in the program alone, the second in a run of a job.
    Code {
        MissingWait "missing-tex-wait": "a fetched value is used without waiting for the texture semaphore";
        MissingAcquire "missing-acquire": "a fetched value is used, and no fetch holds the texture semaphore for it";
        MissingAluWait "missing-alu-wait": "flow control reads the ALU result or a predicate without ALU_WAIT";
        MissingNop "missing-nop": "a presubtract or MDH/MDV reads what the instruction before wrote, without NOP";
        StaleAluResult "stale-alu-result": "flow control reads an ALU result from before another flow-control instruction";
        DeepStack "deep-stack": "calls or loops nest more than 4 deep";
        DeepBranches "deep-branches": "branches nest more than 6 deep under partial flow control";
        NeedsFullFlow "needs-full-flow": "a loop or subroutine under partial flow control";
        BadEnd "bad-end": "the last instruction is not an OUT with TEX_SEM_WAIT";
        SmallPixsize "small-pixsize": "US_PIXSIZE declares fewer temporaries than the program uses";
        Unreachable "unreachable": "no path leads to an instruction";
        UnusedResult "unused-result": "no instruction uses a result";
        UnwrittenOutput "unwritten-output": "no instruction writes a channel of an output";
        Dp4BesideDerivative "dp4-beside-derivative": "DP4 reads the alpha inputs of MDH or MDV";
        UncachedReadBack "uncached-read-back": "a fetch may read uncached writes that no acquire orders";
        ClauseKept "clause-kept": "a clause temporary is read after a TEX or FC instruction";
        WrongNotes "wrong-notes": "the container's lists disagree with the instructions";
        TooManyPaths "too-many-paths": "the program has more paths than the checks follow";

        Uninitialised "uninitialised": "a temporary that was never written has an effect";
        UninitialisedPredicate "uninitialised-predicate": "a predicate that was never set has an effect";
        MissingConstant "missing-constant": "the program reads a constant that the job does not give";
        ClampedFetch "clamped-fetch": "a fetch is outside its input";
        WriteRace "write-race": "several points write one element";
        ReadRace "read-race": "a point reads what another point of the launch writes";
        PointOutput "point-output": "a covered point does not write a channel of an output";
        NotFinite "not-finite": "a computation makes NaN or Inf from finite values";
        Flushed "flushed-denormal": "a denormal is flushed to zero";
        StaleRead "stale-read": "a real chip might have read an old value on the path taken";
        OrderDependent "order-dependent": "the result depends on the order of the pairs of groups";
        Fault "fault": "a launch faults";
        SubmissionError "submission-error": "a recorded submission ends with an error";
        MissingCacheCommand "missing-cache-command": "a recorded client does not invalidate or flush a cache";
        SourceWarning "source-warning": "the compiler warns of the source";
        SourceError "source-error": "the source has an error";
    }
}

impl Code {
    /// Whether the code is found in a program alone, without a run.
    #[must_use]
    pub fn is_static(self) -> bool {
        self <= Code::TooManyPaths
    }
    /// The severity of findings of this code.
    #[must_use]
    pub fn severity(self) -> Severity {
        use Code::*;
        match self {
            MissingWait
            | MissingAcquire
            | MissingNop
            | StaleAluResult
            | BadEnd
            | SmallPixsize
            | Uninitialised
            | UninitialisedPredicate
            | WriteRace
            | ReadRace
            | Fault
            | SubmissionError
            | SourceError
            | MissingCacheCommand => Severity::Error,
            MissingAluWait | DeepStack | DeepBranches | NeedsFullFlow | UnwrittenOutput
            | Dp4BesideDerivative | UncachedReadBack | WrongNotes | MissingConstant
            | ClampedFetch | PointOutput | NotFinite | StaleRead | ClauseKept | OrderDependent
            | SourceWarning => Severity::Warning,
            Unreachable | UnusedResult | TooManyPaths | Flushed => Severity::Note,
        }
    }
    /// Whether the code is reported unless the user disables it. A computation may well rely on
    /// denormals that are zero.
    #[must_use]
    pub fn is_default(self) -> bool {
        self != Code::Flushed
    }
}
