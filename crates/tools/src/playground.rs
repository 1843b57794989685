//! Documents of the playground: a job with its files, in an address or in a copy of the page. `web/page/share.js` reads
//! them.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ctm_base::files;
use ctm_jobs::array::npy;
use ctm_jobs::job::JobFiles;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The limits of an address, as the page has them: bytes of arrays, bytes of source, files.
const ARRAYS: usize = 48 << 10;
const SOURCE: usize = 1 << 20;
const FILES: usize = 256;

/// The element of the page that holds an exercise, as it is without one.
const PLACE: &str = r#"<script type="text/plain" id="exercise"></script>"#;

/// A document.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    #[serde(rename = "m")]
    main: String,
    #[serde(rename = "p")]
    shown: String,
    #[serde(rename = "f")]
    texts: BTreeMap<String, String>,
    #[serde(rename = "d")]
    data: BTreeMap<String, String>,
    #[serde(skip)]
    bytes: usize,
}

/// Errors of making a document of a job.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", .file.display())]
pub struct Unreadable {
    file: PathBuf,
    error: io::Error,
}

impl Document {
    /// The document of a job's file `main` and the files that it names, as it names them.
    pub fn new(main: &str, files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Document {
        let (mut texts, mut data, mut bytes) = (BTreeMap::new(), BTreeMap::new(), 0);
        for (name, content) in files {
            let is_array = [".npy", ".png"].iter().any(|ending| name.ends_with(ending));
            match String::from_utf8(content) {
                Ok(text) if !is_array => _ = texts.insert(name, text),
                content => {
                    let content = content.map_or_else(|error| error.into_bytes(), String::into);
                    bytes += content.len();
                    data.insert(name, STANDARD.encode(content));
                }
            }
        }
        let program = texts.keys().find(|name| *name != main);
        let shown = program.map_or(main, String::as_str).to_string();
        Document { main: main.to_string(), shown, texts, data, bytes }
    }

    /// The document of a job on disk. `expected`: with the arrays that it expects.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn of_job(file: &Path, expected: bool) -> Result<Document, Unreadable> {
        let read = |path: &Path| {
            let unreadable = |error| Unreadable { file: path.to_path_buf(), error };
            files::read(path, npy::MAX_FILE).map_err(unreadable)
        };
        let main = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = read(file)?;
        let named = JobFiles::of(&String::from_utf8_lossy(&text), Path::new(&main));
        let mut paths = named.reads;
        if expected {
            paths.extend(named.expected.into_iter().chain(named.masks));
        }
        let folder = file.parent().unwrap_or(Path::new(""));
        let files = paths
            .iter()
            .map(|path| Ok((path.to_string_lossy().into_owned(), read(&folder.join(path))?)));
        let mut files = files.collect::<Result<Vec<_>, _>>()?;
        files.push((main.clone(), text));
        Ok(Document::new(&main, files))
    }

    /// The address that opens it in the playground at `page`; `None` if an address cannot hold it.
    pub fn address(&self, page: &str) -> Option<String> {
        let source: usize = self.texts.values().map(String::len).sum();
        let files = self.texts.len() + self.data.len();
        let fits = self.bytes <= ARRAYS && source <= SOURCE && files <= FILES;
        fits.then(|| format!("{page}#s={}", self.packed()))
    }

    /// A copy of the playground's page that opens it as an exercise; `None` if the page is none.
    pub fn exercise(&self, page: &str) -> Option<String> {
        let (before, after) = page.split_once(PLACE)?;
        let (start, end) = PLACE.split_once("><")?;
        Some([before, start, ">", &self.packed(), "<", end, after].concat())
    }

    fn packed(&self) -> String {
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
        // Maps of texts have JSON, and writing to memory does not fail.
        let _ = serde_json::to_writer(&mut packed, self);
        URL_SAFE_NO_PAD.encode(packed.finish().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::DeflateDecoder;
    use serde_json::{Value, json};

    fn opened(packed: &str) -> Value {
        let bytes = URL_SAFE_NO_PAD.decode(packed).unwrap();
        serde_json::from_reader(DeflateDecoder::new(&bytes[..])).unwrap()
    }

    fn document(array: usize) -> Document {
        let files = [
            ("a.toml", b"version = 1\n".to_vec()),
            ("b.frag", b"void main() {}".to_vec()),
            ("c.npy", vec![0; array]),
            ("d.elf", vec![0xff, 0xfe]),
        ];
        Document::new("a.toml", files.map(|(name, bytes)| (name.to_string(), bytes)))
    }

    #[test]
    fn an_address_holds_texts_and_bytes() {
        let address = document(3).address("https://play.example/").unwrap();
        let (page, packed) = address.split_once("#s=").unwrap();
        assert_eq!(page, "https://play.example/");
        let texts = json!({ "a.toml": "version = 1\n", "b.frag": "void main() {}" });
        let data = json!({ "c.npy": "AAAA", "d.elf": "//4=" });
        assert_eq!(opened(packed), json!({ "m": "a.toml", "p": "b.frag", "f": texts, "d": data }));
    }

    /// The page has the same limits.
    #[test]
    fn limits_are_those_of_the_page() {
        let script = include_str!("../../../web/page/share.js");
        let limit = |name: &str| {
            let (_, rest) = script.split_once(&format!("const {name} = ")).unwrap();
            let (text, _) = rest.split_once(';').unwrap();
            let (number, shift) = text.split_once(" << ").unwrap_or((text, "0"));
            number.parse::<usize>().unwrap() << shift.parse::<u32>().unwrap()
        };
        assert_eq!(["ARRAYS", "SOURCE", "FILES"].map(limit), [ARRAYS, SOURCE, FILES]);
    }

    #[test]
    fn large_arrays_fit_into_no_address() {
        assert!(document(ARRAYS - 2).address("").is_some());
        assert!(document(ARRAYS - 1).address("").is_none());
    }

    #[test]
    fn a_copy_of_the_page_is_an_exercise_once() {
        let page = format!("<p>before</p>{PLACE}<p>after</p>");
        let made = document(ARRAYS).exercise(&page).unwrap();
        let (before, rest) = made.split_once("id=\"exercise\">").unwrap();
        let (packed, after) = rest.split_once("</script>").unwrap();
        assert_eq!((before, after), ("<p>before</p><script type=\"text/plain\" ", "<p>after</p>"));
        assert_eq!(opened(packed)["m"], "a.toml");
        assert!(document(1).exercise(&made).is_none());
    }
}
