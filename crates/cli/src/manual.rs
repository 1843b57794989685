//! The help of the command and its man pages.
//!
//! A subcommand's text after its options has paragraphs, tables and the exit status. A line of a table begins
//! with two spaces: what, two spaces or more, what it means. Lines that are indented further continue it. The
//! table of examples has the heading `Examples:`. This module lays that out for the width of a terminal, and
//! as sections of a man page.

use super::{Cli, GROUPS};
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::fmt::Write as _;
use std::io;

/// The most columns of a help text.
const WIDEST: usize = 100;
/// An argument with more possible values than this lists them in one line of its man page.
const MOST_LISTED: usize = 4;

/// A paragraph, and the rows of the table below it.
#[derive(Debug, Default, PartialEq)]
struct Section {
    text: String,
    rows: Vec<(String, String)>,
}

impl Section {
    /// The parts of a subcommand's text.
    fn all(text: &str) -> Vec<Section> {
        let mut parts: Vec<Section> = Vec::new();
        // Whether a line continues the last paragraph.
        let mut open = false;
        for line in text.lines() {
            let words = line.trim();
            let last = parts.last_mut();
            match (line.len() - line.trim_start().len(), last) {
                _ if words.is_empty() => open = false,
                (0, Some(part)) if open && part.rows.is_empty() && !words.starts_with(EXIT) => {
                    part.text += &format!(" {words}");
                }
                (2, Some(part)) => {
                    let (what, means) = words.split_once("  ").unwrap_or((words, ""));
                    part.rows.push((what.to_string(), means.trim().to_string()));
                }
                (3.., Some(Section { rows, .. })) if !rows.is_empty() => {
                    let means = rows.last_mut().map(|(_, means)| means);
                    means
                        .into_iter()
                        .for_each(|means| *means = format!("{means} {words}").trim().into());
                }
                _ => {
                    parts.push(Section { text: words.to_string(), rows: Vec::new() });
                    open = true;
                }
            }
        }
        parts
    }

    /// Whether the rows of the table begin with command lines.
    fn has_commands(&self) -> bool {
        self.has_examples() || self.rows.iter().any(|(what, _)| is_command(what))
    }

    /// Whether the table is of examples.
    fn has_examples(&self) -> bool {
        self.text.starts_with("Example")
    }
}

/// Whether a row of a table shows a command line.
fn is_command(what: &str) -> bool {
    what.split_whitespace().any(|word| word == "ctm")
}

/// The beginning of the paragraph with the exit status.
const EXIT: &str = "Exit status: ";

/// A text in lines of at most `width` characters, except for longer words.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => *line = word.to_string(),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                *line += &format!(" {word}");
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

/// The rows of a table in two columns. A first cell longer than half of the width has its meaning below it. The
/// meanings of `commands` are comments, so that a shell takes the line as it is.
fn table(rows: &[(String, String)], width: usize, commands: bool) -> String {
    let length = |what: &str| what.chars().count();
    let explained = rows.iter().filter(|(_, means)| !means.is_empty());
    let column = explained.map(|(what, _)| length(what)).filter(|len| 2 * len <= width).max();
    let column = column.unwrap_or(4);
    let mut text = String::new();
    for (what, means) in rows {
        let sign = if commands && !means.is_empty() { "# " } else { "" };
        let lines = wrapped(means, width.saturating_sub(column + 4 + sign.len()));
        let mut lines = lines.into_iter().map(|line| format!("{sign}{line}"));
        let beside = if length(what) <= column { lines.next() } else { None };
        let line = format!("  {what:<column$}  {}", beside.unwrap_or_default());
        text += &format!("{}\n", line.trim_end());
        for line in lines.filter(|line| !line.is_empty()) {
            let _ = writeln!(text, "  {:column$}  {line}", "");
        }
    }
    text
}

/// The columns of a help text: of the variable COLUMNS or of the terminal.
fn width() -> usize {
    let given = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    given.or_else(terminal_width).unwrap_or(WIDEST).clamp(40, WIDEST)
}

/// The columns of the terminal.
pub fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| width.0.into())
}

/// The command, with help for the terminal.
pub fn command() -> Command {
    let width = width();
    let command = Cli::command().term_width(width);
    let groups = groups(&command, width);
    lay_out(command, width).help_template(format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{groups}{{options}}\n\n\
         `ctm help COMMAND` explains a command, with examples."
    ))
}

/// Lays out the texts of a command and of those below it.
fn lay_out(command: Command, width: usize) -> Command {
    let Some(text) = command.get_after_help().map(ToString::to_string) else {
        return command.mut_subcommands(|command| lay_out(command, width));
    };
    let parts = Section::all(&text);
    // Paragraphs are one line each, which clap wraps.
    let parts = parts
        .iter()
        .map(|part| format!("{}\n{}", part.text, table(&part.rows, width, part.has_commands())));
    let text = parts.collect::<Vec<_>>().join("\n");
    command.after_help(text).mut_subcommands(|command| lay_out(command, width))
}

/// The subcommands in groups, as lines of `ctm --help`.
fn groups(command: &Command, width: usize) -> String {
    let header = command.get_styles().get_header();
    let mut text = String::new();
    for (title, names) in GROUPS {
        let of = |name: &&str| {
            let about = command.find_subcommand(name)?.get_about()?;
            Some((name.to_string(), about.to_string()))
        };
        let rows: Vec<_> = names.iter().filter_map(of).collect();
        let _ = writeln!(text, "{header}{title}:{header:#}\n{}", table(&rows, width, false));
    }
    let _ = writeln!(text, "{header}Options:{header:#}");
    text
}

/// The part of ctm.1 that `ctm --help`, which lists the subcommands, does not have.
const OVERVIEW: &str = "\
Examples:
  ctm run kernels/mandelbrot/mandelbrot.toml           runs a job
  ctm run kernels/glsl/bilinear.frag --image out.png   runs a shader, with values of its own
  ctm debug kernels/sobel/sobel.toml                   steps through it, forward and back

Exit status: 0 done, 1 a check failed or a fault occurred, 2 bad usage or bad input.";

/// The man pages: the name of each file, and its text.
pub fn pages() -> io::Result<Vec<(String, String)>> {
    let mut command = Cli::command().disable_help_subcommand(true).after_help(OVERVIEW);
    command.build();
    let mut pages = Vec::new();
    add_pages(&command, &mut pages)?;
    Ok(pages)
}

fn add_pages(command: &Command, pages: &mut Vec<(String, String)>) -> io::Result<()> {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        add_pages(command, pages)?;
    }
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    pages.push((format!("{name}.1"), page(command)?));
    Ok(())
}

/// The man page of a command.
fn page(command: &Command) -> io::Result<String> {
    let parts =
        Section::all(&command.get_after_help().map(ToString::to_string).unwrap_or_default());
    let version = env!("CARGO_PKG_VERSION");
    let man = Man::new(with_short_lists(command.clone())).source(format!("ctm {version}"));
    let mut bytes = Vec::new();
    man.render_title(&mut bytes)?;
    // Names of options and files stay whole.
    Roff::new().control("nh", []).to_writer(&mut bytes)?;
    man.render_name_section(&mut bytes)?;
    synopsis(command).to_writer(&mut bytes)?;
    man.render_description_section(&mut bytes)?;
    let mut text = Roff::new();
    let is_status = |part: &&Section| part.text.starts_with(EXIT);
    for part in parts.iter().filter(|part| !is_status(part) && !part.has_examples()) {
        text.control("PP", []).text([roman(&part.text)]);
        for (what, means) in &part.rows {
            text.control("TP", ["18"]).text([bold(what)]).text([roman(means)]);
        }
    }
    text.to_writer(&mut bytes)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut bytes)?;
    }
    man.render_options_section(&mut bytes)?;
    let mut text = Roff::new();
    if parts.iter().any(Section::has_examples) {
        text.control("SH", ["EXAMPLES"]);
    }
    for (example, means) in
        parts.iter().filter(|part| part.has_examples()).flat_map(|part| &part.rows)
    {
        if !means.is_empty() {
            let mut letters = means.chars();
            let first = letters.next().map(|letter| letter.to_uppercase().to_string());
            let end = if means.ends_with(['.', ':']) { "" } else { ":" };
            text.control("PP", []).text([roman(format!(
                "{}{}{end}",
                first.unwrap_or_default(),
                letters.as_str()
            ))]);
        }
        text.control("PP", []).control("RS", ["4"]).control("nf", []).text([roman(example)]);
        text.control("fi", []).control("RE", []);
    }
    for status in parts.iter().filter_map(|part| part.text.strip_prefix(EXIT)) {
        text.control("SH", ["EXIT STATUS"]);
        for (number, means) in statuses(status) {
            text.control("TP", ["4"]).text([bold(number)]).text([roman(means)]);
        }
    }
    text.control("SH", ["SEE ALSO"]);
    let others =
        if command.has_subcommands() { "one page for each subcommand, such as " } else { "" };
    let other = if command.has_subcommands() { "ctm-run" } else { "ctm" };
    text.text([roman(others), bold(other), roman("(1)")]).to_writer(&mut bytes)?;
    let page = String::from_utf8_lossy(&bytes);
    // Each part begins with the same definitions; once is enough.
    let preamble = Roff::new().render();
    Ok(preamble.clone() + &page.replace(&preamble, ""))
}

/// The numbers and meanings in `0 done, 1 a check failed, 2 bad usage`.
fn statuses(text: &str) -> Vec<(String, String)> {
    let mut list: Vec<(String, String)> = Vec::new();
    for part in text.trim_end_matches('.').split(", ") {
        match (part.split_once(' '), list.last_mut()) {
            (Some((number, means)), _) if number.parse::<u8>().is_ok() => {
                list.push((number.to_string(), means.to_string()));
            }
            (_, Some((_, means))) => *means += &format!(", {part}"),
            (_, None) => list.push((String::new(), part.to_string())),
        }
    }
    list
}

/// The synopsis: every option with its values, then the arguments.
fn synopsis(command: &Command) -> Roff {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let mut line = vec![bold(name)];
    let visible = || command.get_arguments().filter(|arg| !arg.is_hide_set());
    let options = visible().filter(|arg| !arg.is_positional());
    for arg in options.chain(command.get_positionals().filter(|arg| !arg.is_hide_set())) {
        // The value names, and `...` where several fit.
        let shown = arg.to_string();
        let (open, close) =
            if arg.is_required_set() || arg.is_positional() { (" ", "") } else { (" [", "]") };
        line.push(roman(format!("{open}{shown}{close}")));
    }
    if command.has_subcommands() {
        line.push(roman(" COMMAND"));
    }
    let mut text = Roff::new();
    text.control("SH", ["SYNOPSIS"]).text(line);
    text
}

/// Long lists of possible values in one line, once for each list.
fn with_short_lists(command: Command) -> Command {
    let mut listed: Vec<Vec<String>> = Vec::new();
    command.mut_args(|arg| {
        let values: Vec<String> =
            arg.get_possible_values().iter().map(|value| value.get_name().to_string()).collect();
        if values.len() <= MOST_LISTED {
            return arg;
        }
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let list = if listed.contains(&values) {
            String::new()
        } else {
            format!(". One of: {}", values.join(", "))
        };
        listed.push(values);
        arg.hide_possible_values(true).help(help + &list)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_machine::launch::FloatMode;
    use std::path::Path;

    const TEXT: &str = "\
A first paragraph of
two lines.

Columns:
  points         how many
  compile, upload
                 times of
                 one run
It goes on.

Examples:
  ctm run job.toml    runs it
  ctm run --a-very-long-option-that-needs-more-than-half-of-all job.toml  the rest
  ctm new
Exit status: 0 done, 1 a fault occurred or
the time was up, 2 bad usage (including none, or two), bad input.";

    #[test]
    fn a_text_has_parts() {
        let parts = Section::all(TEXT);
        let texts: Vec<&str> = parts.iter().map(|part| &*part.text).collect();
        assert_eq!(
            texts,
            [
                "A first paragraph of two lines.",
                "Columns:",
                "It goes on.",
                "Examples:",
                "Exit status: 0 done, 1 a fault occurred or the time was up, 2 bad usage (including \
                 none, or two), bad input."
            ]
        );
        let row = |what: &str, means: &str| (what.to_string(), means.to_string());
        assert_eq!(
            parts[1].rows,
            [row("points", "how many"), row("compile, upload", "times of one run")]
        );
        assert_eq!(parts[3].rows.len(), 3);
        assert_eq!(
            statuses(parts[4].text.strip_prefix(EXIT).expect("it is last")),
            [
                row("0", "done"),
                row("1", "a fault occurred or the time was up"),
                row("2", "bad usage (including none, or two), bad input")
            ]
        );
    }

    #[test]
    fn a_table_fits_its_width() {
        let parts = Section::all(TEXT);
        let expected = "  ctm run job.toml  # runs it
  ctm run --a-very-long-option-that-needs-more-than-half-of-all job.toml
                    # the rest
  ctm new
";
        assert_eq!(table(&parts[3].rows, 72, true), expected);
        let narrow =
            table(&[("points".to_string(), "one two three four five".to_string())], 20, false);
        assert_eq!(narrow, "  points  one two\n          three four\n          five\n");
    }

    #[test]
    fn every_help_fits_the_terminal() {
        fn check(command: &mut Command, width: usize) {
            let help = command.render_long_help().to_string();
            for line in help.lines() {
                let is_example = line.trim_start().starts_with("ctm ") || line.contains(" ctm ");
                assert!(line.chars().count() <= width || is_example, "{width}: {line}");
            }
            let names: Vec<String> =
                command.get_subcommands().map(|c| c.get_name().to_string()).collect();
            for name in names {
                command.find_subcommand_mut(&name).into_iter().for_each(|c| check(c, width));
            }
        }
        for width in [60, 80, 100] {
            let mut command = lay_out(Cli::command().term_width(width), width);
            command.build();
            check(&mut command, width);
        }
    }

    /// Whether `text` describes the modes as [`FloatMode::meaning`] does, whatever the lines.
    fn says_the_modes(text: &str) -> bool {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        [FloatMode::Exact, FloatMode::Chip].iter().all(|mode| words(text).contains(mode.meaning()))
    }

    #[test]
    fn every_text_says_the_same_of_the_modes() {
        let mut found = 0;
        let mut command = command();
        command.build();
        for command in command.get_subcommands() {
            let mode = command.get_arguments().find(|arg| arg.get_id() == "mode");
            // Where engines are compared, the modes are not explained.
            let help = mode.and_then(|arg| arg.get_help()).map(ToString::to_string);
            if let Some(help) = help.filter(|help| help.starts_with("Arithmetic")) {
                assert!(says_the_modes(&help), "{}: {help}", command.get_name());
                found += 1;
            }
        }
        assert!(found >= 7, "{found}");
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let read = |file: &Path| std::fs::read_to_string(file).expect("a text");
        for file in
            ["README.md", "docs/float.md", "docs/jobs.md", "docs/python.md", "docs/c-api.md"]
        {
            assert!(says_the_modes(&read(&root.join(file))), "{file}");
        }
        let docs = std::fs::read_dir(root.join("docs")).expect("a folder");
        let docs = docs.map(|entry| entry.expect("an entry").path());
        let docs = docs.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
        let sources = ["README.md", "Cargo.toml", "include/ctm.h", "python/ctm/__init__.py"];
        let texts = docs.chain(sources.map(|file| root.join(file)));
        let texts = texts.map(|file| (file.display().to_string(), read(&file)));
        let pages = pages().expect("pages").into_iter();
        for (name, text) in texts.chain(pages) {
            // A card's products are cut, so no mode is the chip's bits.
            for claim in
                ["the chip's, bit for bit", "chip's arithmetic to the bit", "processor, to the bit"]
            {
                let claim = claim.to_lowercase();
                assert!(!text.to_lowercase().contains(&claim), "{name}: {claim}");
            }
        }
    }

    /// The words of a command line of `ctm`, as a shell takes them; none for another one.
    fn words(line: &str) -> Vec<String> {
        let line = line.split(" #").next().unwrap_or_default();
        let mut all = vec![String::new()];
        let mut quote = None;
        for c in line.chars() {
            match (c, quote) {
                ('\'' | '"', None) => quote = Some(c),
                (c, Some(open)) if c == open => quote = None,
                (' ', None) => all.push(String::new()),
                (c, _) => all.last_mut().into_iter().for_each(|word| word.push(c)),
            }
        }
        all.retain(|word| !word.is_empty());
        let start = all.iter().position(|word| word == "ctm").unwrap_or(all.len());
        let end = |word: &&String| !word.starts_with(['|', '>', '&']) && !word.starts_with("2>");
        all[start..].iter().take_while(end).cloned().collect()
    }

    /// The examples of a command and of those below it.
    fn examples(command: &Command, list: &mut Vec<String>) {
        let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let rows = Section::all(&text).into_iter().flat_map(|part| part.rows);
        list.extend(rows.map(|(what, _)| what).filter(|what| is_command(what)));
        command.get_subcommands().for_each(|command| examples(command, list));
    }

    #[test]
    #[cfg_attr(
        not(all(feature = "gpu", feature = "compiler")),
        ignore = "the pages are about a command with all its features"
    )]
    fn every_example_has_valid_arguments() {
        let mut lines = Vec::new();
        examples(&Cli::command(), &mut lines);
        let of_help = lines.len();
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let docs = std::fs::read_dir(root.join("docs")).expect("a folder");
        let mut pages: Vec<_> = docs.map(|entry| entry.expect("an entry").path()).collect();
        pages.push(root.join("README.md"));
        for page in
            pages.iter().filter(|page| page.extension().is_some_and(|ending| ending == "md"))
        {
            let text = std::fs::read_to_string(page).expect("a page");
            // What is between two fences.
            for block in text.split("\n```").skip(1).step_by(2) {
                let commands = block.lines().map(|line| line.strip_prefix("$ ").unwrap_or(line));
                lines.extend(commands.filter(|line| line.starts_with("ctm ")).map(String::from));
            }
        }
        assert!(of_help > 80 && lines.len() > of_help + 25, "{of_help} {}", lines.len());
        for line in lines.iter().filter(|line| !line.ends_with('\\')) {
            let words = words(line);
            if words.is_empty() {
                continue;
            }
            if let Err(error) = Cli::command().try_get_matches_from(words) {
                panic!("{line}\n{error}");
            }
        }
    }

    #[test]
    fn every_subcommand_is_in_a_group() {
        let command = Cli::command();
        let mut names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        grouped.retain(|name| names.contains(name));
        names.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, names);
    }
}
