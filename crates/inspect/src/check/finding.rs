//! Findings, and the one rule that merges equal ones.

use super::code::Code;
use ctm_base::text::Mark;
use std::collections::BTreeMap;

/// At most this many instructions or registers are listed in a finding.
pub(super) const MOST_LISTED: usize = 8;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its kind.
    pub code: Code,
    /// The pass of the job, from 0; 0 for a program without a job.
    pub pass: usize,
    /// The instruction; `None` for the program as a whole.
    pub pc: Option<u32>,
    /// The place in the source, if the finding is about the source and no instruction.
    pub mark: Option<Mark>,
    /// The subject, such as `r3.x`: two findings with the same code, pass, pc and subject are one.
    pub subject: String,
    /// The first point (i, j), in the order of j, then i; `None` without a run.
    pub first: Option<(u32, u32)>,
    /// The number of times that it happened; 1 without a run.
    pub count: u64,
    /// The mistake, in a sentence without a full stop.
    pub message: String,
    /// The text beside the instruction.
    pub label: String,
    /// The instructions and facts that led to it.
    pub notes: Vec<Note>,
    /// A way to fix it, if known.
    pub help: Option<String>,
}

/// A fact that belongs to a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The instruction that it is about.
    pub pc: Option<u32>,
    /// The fact.
    pub text: String,
}

impl Finding {
    /// A finding in a program, without a point.
    pub fn new(
        code: Code,
        pc: Option<u32>,
        subject: impl Into<String>,
        message: impl Into<String>,
    ) -> Finding {
        Finding {
            code,
            pass: 0,
            pc,
            mark: None,
            subject: subject.into(),
            first: None,
            count: 1,
            message: message.into(),
            label: "here".into(),
            notes: Vec::new(),
            help: None,
        }
    }
    /// The pass it belongs to.
    pub fn pass(self, pass: usize) -> Finding {
        Finding { pass, ..self }
    }
    /// The point at which it happened.
    pub fn at(self, point: (u32, u32)) -> Finding {
        Finding { first: Some(point), ..self }
    }
    /// The place in the source.
    pub fn marked(self, mark: Mark) -> Finding {
        Finding { mark: Some(mark), ..self }
    }
    /// Sets the text beside the instruction.
    pub fn label(self, label: impl Into<String>) -> Finding {
        Finding { label: label.into(), ..self }
    }
    /// One more fact, about an instruction if `pc` is given.
    pub fn note(mut self, pc: impl Into<Option<u32>>, text: impl Into<String>) -> Finding {
        self.notes.push(Note { pc: pc.into(), text: text.into() });
        self
    }
    /// One more fact about each of some instructions. Of many, the first ones are listed, and how
    /// many there are besides.
    pub fn notes(self, mut facts: impl Iterator<Item = (u32, String)>) -> Finding {
        let listed = facts.by_ref().take(MOST_LISTED);
        let finding = listed.fold(self, |finding, (pc, text)| finding.note(pc, text));
        match facts.count() {
            0 => finding,
            1 => finding.note(None, "the same is true of 1 more instruction"),
            n => finding.note(None, format!("the same is true of {n} more instructions")),
        }
    }
    /// Sets the way to fix it.
    pub fn help(self, help: impl Into<String>) -> Finding {
        Finding { help: Some(help.into()), ..self }
    }

    /// Whether this finding in a program is the same mistake as another one in a run.
    pub fn foresees(&self, run: &Finding) -> bool {
        use Code::*;
        match run.code {
            StaleRead => {
                let waits =
                    [MissingWait, MissingAcquire, MissingNop, MissingAluWait, StaleAluResult];
                waits.contains(&self.code) && self.pc == run.pc
            }
            PointOutput => self.code == UnwrittenOutput && self.subject == run.subject,
            _ => false,
        }
    }
    /// The finding with the point and the pass of a run where it happened.
    pub fn happened(self, run: &Finding) -> Finding {
        Finding { first: run.first, count: run.count, ..self }
    }

    fn key(&self) -> Key {
        (self.pass, self.pc.unwrap_or(u32::MAX), self.mark, self.code, self.subject.clone())
    }
}

/// The key of a finding, in the order of reports: findings with the same key are one. A finding
/// about a whole program comes after those about its instructions.
type Key = (usize, u32, Option<Mark>, Code, String);

/// Findings, each once.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Findings(BTreeMap<Key, Finding>);

impl Findings {
    /// Adds what a run showed to what the programs alone show. What both show is one finding, with
    /// the point where it happened. `same` says whether two findings are about one program.
    pub fn add_run(&mut self, run: Findings, same: impl Fn(&Finding, &Finding) -> bool) {
        let mut happened = Vec::new();
        for finding in run {
            let known = self.iter().find(|known| same(known, &finding) && known.foresees(&finding));
            happened.push(match known {
                Some(known) => known.clone().happened(&finding),
                None => finding,
            });
        }
        self.extend(happened);
    }

    /// The same finding in several passes becomes one: that of the first pass, with the counts of all.
    /// `same` says whether two findings are about one program.
    #[must_use]
    pub fn of_programs(self, same: impl Fn(&Finding, &Finding) -> bool) -> Findings {
        let mut found: BTreeMap<_, Vec<Finding>> = BTreeMap::new();
        for finding in self.0.into_values() {
            let (_, pc, mark, code, subject) = finding.key();
            let passes = found.entry((pc, mark, code, subject)).or_default();
            match passes.iter_mut().find(|known| same(known, &finding)) {
                Some(known) => known.count += finding.count,
                None => passes.push(finding),
            }
        }
        Findings::from_iter(found.into_values().flatten())
    }

    /// Adds a finding. If it is known, the counts are added, and the texts are those of the first
    /// point in the order (j, i), so that the order in which points run does not matter.
    pub fn add(&mut self, finding: Finding) {
        use std::collections::btree_map::Entry;
        match self.0.entry(finding.key()) {
            Entry::Vacant(place) => {
                place.insert(finding);
            }
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                // A finding in a program counts only where it happened.
                let happened = |finding: &Finding| match finding.first {
                    Some(_) => finding.count,
                    None => 0,
                };
                let count = happened(known) + happened(&finding);
                let order =
                    |finding: &Finding| finding.first.map_or((u32::MAX, u32::MAX), |(i, j)| (j, i));
                if order(&finding) < order(known) {
                    *known = finding;
                }
                known.count = count.max(1);
            }
        }
    }
    /// The findings by pass, pc, code and subject.
    pub fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.0.values()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// Keeps those that `keeps` accepts.
    pub fn retain(&mut self, mut keeps: impl FnMut(&Finding) -> bool) {
        self.0.retain(|_, finding| keeps(finding));
    }
}

impl Extend<Finding> for Findings {
    fn extend<T: IntoIterator<Item = Finding>>(&mut self, findings: T) {
        findings.into_iter().for_each(|finding| self.add(finding));
    }
}

impl FromIterator<Finding> for Findings {
    fn from_iter<T: IntoIterator<Item = Finding>>(findings: T) -> Findings {
        let mut all = Findings::default();
        all.extend(findings);
        all
    }
}

impl IntoIterator for Findings {
    type Item = Finding;
    type IntoIter = std::collections::btree_map::IntoValues<Key, Finding>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(pc: u32, subject: &str, point: (u32, u32)) -> Finding {
        Finding::new(Code::ClampedFetch, Some(pc), subject, format!("{point:?}")).at(point)
    }

    #[test]
    fn equal_findings_are_one_with_the_first_point() {
        let all = [at(3, "x", (0, 2)), at(3, "x", (7, 1)), at(3, "x", (8, 1)), at(3, "y", (0, 0))];
        let forward: Findings = all.iter().cloned().collect();
        let backward: Findings = all.iter().rev().cloned().collect();
        assert_eq!(forward, backward);
        let found: Vec<_> =
            forward.iter().map(|f| (&*f.subject, f.first, f.count, &*f.message)).collect();
        assert_eq!(found, [("x", Some((7, 1)), 3, "(7, 1)"), ("y", Some((0, 0)), 1, "(0, 0)")]);
    }

    #[test]
    fn findings_are_sorted_and_the_whole_program_comes_last() {
        let whole = Finding::new(Code::BadEnd, None, "", "");
        let later = at(0, "", (0, 0)).pass(1);
        let all: Findings = [later.clone(), whole.clone(), at(5, "", (0, 0))].into_iter().collect();
        let order: Vec<_> = all.iter().map(|f| (f.pass, f.pc)).collect();
        assert_eq!(order, [(0, Some(5)), (0, None), (1, Some(0))]);
    }
}
