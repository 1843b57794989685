//! Which files a job reads and writes, without reading them.

use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// The files that a job names, relative to where its own path is.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct JobFiles {
    /// Programs and arrays that it loads. Expected arrays are not among them.
    pub reads: Vec<PathBuf>,
    /// Arrays and pictures that it saves.
    pub writes: Vec<PathBuf>,
}

impl JobFiles {
    /// The files that the text of a job names; `file` is the job's own. Text that is no job gives
    /// what looks like one: [`super::Job::parse`] says what is wrong with it.
    pub fn of(text: &str, file: &Path) -> JobFiles {
        let mut files = JobFiles::default();
        let Ok(tree) = DeTable::parse(text) else {
            return files;
        };
        let base = file.parent().unwrap_or(Path::new(""));
        let add = |to: &mut Vec<PathBuf>, value: Option<&DeValue<'_>>| {
            to.extend(value.and_then(DeValue::as_str).map(|name| base.join(name)));
        };
        let tree = tree.get_ref();
        let launch = |files: &mut JobFiles, table: &DeTable<'_>| {
            for (key, name) in [("program", "file"), ("constants", "float_file")] {
                let value = table_at(table, key).and_then(|table| get(table, name));
                add(&mut files.reads, value);
            }
        };
        launch(&mut files, tree);
        let tables = ["input", "output", "condition", "buffer", "initial"];
        for table in tables.into_iter().flat_map(|key| tables_at(tree, key)) {
            for key in ["file", "initial"] {
                add(&mut files.reads, get(table, key));
            }
            for key in ["save", "image"] {
                add(&mut files.writes, get(table, key));
            }
        }
        for pass in tables_at(tree, "pass") {
            launch(&mut files, pass);
            for (_, value) in table_at(pass, "initial").into_iter().flatten() {
                add(&mut files.reads, Some(value.get_ref()));
            }
        }
        files
    }
}

fn get<'a, 'i>(table: &'a DeTable<'i>, key: &str) -> Option<&'a DeValue<'i>> {
    let (_, value) = table.iter().find(|(name, _)| name.get_ref() == key)?;
    Some(value.get_ref())
}

fn table_at<'a, 'i>(table: &'a DeTable<'i>, key: &str) -> Option<&'a DeTable<'i>> {
    get(table, key)?.as_table()
}

/// The tables under a key: one, or a list.
fn tables_at<'a, 'i>(table: &'a DeTable<'i>, key: &str) -> Vec<&'a DeTable<'i>> {
    match get(table, key) {
        Some(DeValue::Table(table)) => vec![table],
        Some(DeValue::Array(array)) => {
            array.iter().filter_map(|value| value.get_ref().as_table()).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (Vec<String>, Vec<String>) {
        let files = JobFiles::of(text, Path::new("dir/job.toml"));
        let names = |paths: Vec<PathBuf>| paths.iter().map(|p| p.display().to_string()).collect();
        (names(files.reads), names(files.writes))
    }

    #[test]
    fn the_short_form_names_its_files() {
        let (reads, writes) = of("version = 1
            program = { file = \"p.hex\" }
            constants = { float_file = \"/c.npy\" }
            input = [{ slot = 0, file = \"a.npy\" }, { slot = 1, fill = 0 }]
            initial = [{ temp = 3, file = \"t.npy\" }]
            [[output]]
            initial = \"o.npy\"
            save = \"o0.npy\"
            image = \"o0.png\"
            [condition]
            file = \"k.npy\"
            save = \"k2.npy\"
            [[expect]]
            file = \"e.npy\"");
        assert_eq!(
            reads,
            ["dir/p.hex", "/c.npy", "dir/a.npy", "dir/o.npy", "dir/k.npy", "dir/t.npy"]
        );
        assert_eq!(writes, ["dir/o0.npy", "dir/o0.png", "dir/k2.npy"]);
    }

    #[test]
    fn the_long_form_names_its_files() {
        let (reads, writes) = of("version = 1
            [[buffer]]
            file = \"a.npy\"
            save = \"b.npy\"
            [[pass]]
            program.file = \"p.dpp\"
            constants.float_file = \"c.npy\"
            initial = { 1 = \"x.npy\", 2 = \"y.npy\" }");
        assert_eq!(reads, ["dir/a.npy", "dir/p.dpp", "dir/c.npy", "dir/x.npy", "dir/y.npy"]);
        assert_eq!(writes, ["dir/b.npy"]);
    }

    #[test]
    fn other_text_names_none() {
        assert_eq!(JobFiles::of("= 3", Path::new("x")), JobFiles::default());
        let odd = "input = 3\noutput = [1, {save = 2}]\npass = {initial = 1}";
        assert_eq!(JobFiles::of(odd, Path::new("x")), JobFiles::default());
    }
}
