//! The form: values, sizes, pictures and arrays by name, files that are opened, kept, shared and saved.

use super::*;

/// The text of the job file.
const JOB: &str = "window.jobText";

/// Reads the text of the job file from its tab into [`JOB`].
fn job(browser: &mut Browser) -> String {
    let click = |browser: &mut Browser, which: &str| {
        browser.evaluate(&format!(
            "[...document.querySelectorAll('#files button')].find((one) => {which}).click()"
        ));
    };
    click(browser, "one.textContent.endsWith('.toml')");
    browser.evaluate(&format!(
        "{JOB} = [...document.querySelectorAll('.cm-line')].map((one) => one.textContent).join('\\n')"
    ));
    let text = browser.text(JOB);
    click(browser, "!one.textContent.endsWith('.toml')");
    text
}

/// Gives a field of the form a value, as a visitor does who leaves the field.
fn fill(browser: &mut Browser, of: &str, value: &str) {
    browser.evaluate(&format!(
        "(() => {{ const one = document.querySelector('#form [data-of=\"{of}\"]'); one.value = '{value}'; \
         for (const kind of ['input', 'change']) one.dispatchEvent(new Event(kind, {{ bubbles: true }})); }})()"
    ));
}

/// Drops files on the page: expressions of `File`.
fn drop_files(browser: &mut Browser, files: &str) {
    browser.evaluate(&format!(
        "(() => {{ const transfer = new DataTransfer(); for (const file of [{files}]) transfer.items.add(file); \
         const event = new DragEvent('drop', {{ dataTransfer: transfer, bubbles: true, cancelable: true }}); \
         document.getElementById('editor').dispatchEvent(event); }})()"
    ));
}

/// A value runs without being compiled, and is in the text of the job; a size is compiled.
#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn a_value_of_the_form_is_the_value_of_the_text() {
    let mut browser = playground(1280, 800, "#e=plasma");
    let first = pixels(&mut browser);
    browser.click("#tab-form", 0.5, 0.5);
    browser.shot("1280-light-form");
    let version = browser.text("document.body.dataset.version");
    fill(&mut browser, "time 0", "3.25");
    browser.wait(&format!("document.body.dataset.version !== '{version}'"));
    settled(&mut browser);
    let text = job(&mut browser);
    assert!(text.contains("time = 3.25\nresolution = [96.0, 72.0]"), "{text}");
    let shown = pixels(&mut browser);
    assert!(shown != first);
    // The text says the same by itself: a reload compiles it.
    browser.call("Page.reload", serde_json::json!({}));
    browser.wait("document.body?.dataset.done === undefined");
    settled(&mut browser);
    assert!(pixels(&mut browser) == shown);
    // The text leads the form, too.
    browser.click("#tab-form", 0.5, 0.5);
    assert_eq!(browser.text("document.querySelector('#form [data-of=\"time 0\"]').value"), "3.25");
    fill(&mut browser, "Columns", "48");
    browser.wait("document.getElementById('canvas').width === 48");
    settled(&mut browser);
    let text = job(&mut browser);
    assert!(text.contains("i1 = 47") && text.contains("resolution = [48.0, 72.0]"), "{text}");
    content(&mut browser);
}

/// A program without a job gets one with the first change; what the page chose is said.
#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn a_new_shader_gets_a_job_by_its_form() {
    let mut browser = playground(390, 844, "#e=GLSL");
    let source = "uniform vec3 tint;\nuniform float level;\nvoid main() { gl_FragColor = vec4(level * tint, 1.0); }\n";
    write(&mut browser, source);
    settled(&mut browser);
    browser.evaluate("document.querySelector('nav [data-view=form]').click()");
    let said = browser.text("document.getElementById('form').textContent");
    assert!(
        said.contains("There is no job file yet") && said.contains("chosen by the page"),
        "{said}"
    );
    assert_eq!(browser.unreached(), Vec::<String>::new());
    fill(&mut browser, "level 0", "1");
    browser.wait("document.querySelectorAll('#files button').length === 2");
    settled(&mut browser);
    fill(&mut browser, "tint 1", "0.2");
    browser.wait("document.body.dataset.done === document.body.dataset.version");
    browser.wait(
        "(() => { const canvas = document.getElementById('canvas'); \
         return canvas.getContext('2d').getImageData(3, 3, 1, 1).data.join() === '128,51,128,255'; })()",
    );
    settled(&mut browser);
    browser.shot("390-light-form");
    let wide = browser.text("document.documentElement.scrollWidth");
    assert_eq!(wide, "390");
    let text = job(&mut browser);
    assert!(text.contains("tint = [0.5, 0.2, 0.5]") && text.contains("level = 1.0"), "{text}");
    content(&mut browser);
}

/// An own picture goes through a blur; a small one is in the link, a large one is kept by the browser.
#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn own_pictures_and_files_are_opened_kept_and_shared() {
    let mut browser = playground(1280, 800, "#e=blur");
    let first = pixels(&mut browser);
    let picture = |size: u32, noise: bool| {
        format!(
            "await (async () => {{ const canvas = Object.assign(document.createElement('canvas'), {{ width: {size}, height: {size} }}); \
             const to = canvas.getContext('2d'); const all = to.createImageData({size}, {size}); \
             all.data.forEach((_, n) => (all.data[n] = n % 4 === 3 ? 255 : {noise} ? Math.floor(256 * Math.random()) : 200)); \
             to.putImageData(all, 0, 0); const blob = await new Promise((done) => canvas.toBlob(done, 'image/png')); \
             window.file = new File([blob], 'mine.png', {{ type: 'image/png' }}); }})()"
        )
    };
    let give = |browser: &mut Browser, size, noise| {
        let version = browser.text("document.body.dataset.version");
        browser.evaluate(&format!("(async () => {{ {} }})()", picture(size, noise)));
        drop_files(browser, "window.file");
        browser.wait(&format!("document.body.dataset.version !== '{version}'"));
        settled(browser);
        assert_eq!(browser.text("document.getElementById('status').className"), "good");
    };
    give(&mut browser, 8, false);
    let grey = pixels(&mut browser);
    assert!(grey != first);
    assert!(grey.1.chunks_exact(3).all(|pixel| pixel.iter().all(|one| one.abs_diff(200) <= 1)));
    assert!(job(&mut browser).contains("file = \"mine.png\""));
    browser.wait("location.hash.startsWith('#s=')");
    let link = browser.text("location.href");
    // A large one does not fit: the page says so, and a reload has it all the same.
    give(&mut browser, 300, true);
    let noise = pixels(&mut browser);
    browser.wait("location.hash.startsWith('#k=')");
    browser.click("#share", 0.5, 0.5);
    browser.wait("document.getElementById('status').textContent.includes('a link holds 48 KiB')");
    browser.call("Page.reload", serde_json::json!({}));
    browser.wait("document.body?.dataset.done === undefined");
    settled(&mut browser);
    assert!(pixels(&mut browser) == noise);
    // The link has the small one, in any browser.
    let mut other = Browser::start(1280, 800);
    other.open(&link);
    settled(&mut other);
    assert!(pixels(&mut other) == grey);
    // A folder's files: the job runs.
    let job = "version = 1\\nprogram = { file = \"p.dpp\" }\\ndomain = { i0 = 0, j0 = 0, i1 = 3, j1 = 3 }\\n\
               [[output]]\\nslot = 0\\nformat = \"UINT8_4\"\\nimage = \"p.png\"\\n";
    drop_files(
        &mut other,
        &format!(
            "new File(['{job}'], 'p.toml'), new File(['    mov o0, {{0, 1, 0, 1}}\\n'], 'p.dpp')"
        ),
    );
    other.wait("document.getElementById('canvas').width === 4");
    settled(&mut other);
    assert!(pixels(&mut other).1.chunks_exact(3).all(|pixel| pixel == [0, 255, 0]));
    content(&mut browser);
    content(&mut other);
}

/// What a visitor saves is the files; a paste goes to the first input, a drop on an input to this one.
#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn files_are_pasted_dropped_on_inputs_and_saved() {
    let mut browser = playground(1280, 800, "#e=blend");
    // What would be saved is kept instead.
    browser.evaluate(
        "window.saved = []; URL.createObjectURL = (blob) => (saved.push(blob), 'blob:nothing'); \
         HTMLAnchorElement.prototype.click = function () { saved.at(-1).saved = this.download; }; 0",
    );
    let picture = "(() => { const bytes = Uint8Array.from(atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNg+M8AAAICAQB7CYF4AAAAAElFTkSuQmCC'), (c) => c.charCodeAt(0)); \
                   return new File([bytes], NAME, { type: 'image/png' }); })()";
    let give = |browser: &mut Browser, name: &str, event: &str| {
        let version = browser.text("document.body.dataset.version");
        let file = picture.replace("NAME", &format!("'{name}'"));
        browser.evaluate(&format!(
            "(() => {{ const data = new DataTransfer(); data.items.add({file}); {event} }})()"
        ));
        browser.wait(&format!("document.body.dataset.version !== '{version}'"));
        settled(browser);
    };
    give(
        &mut browser,
        "pasted.png",
        "document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));",
    );
    browser.click("#tab-form", 0.5, 0.5);
    give(
        &mut browser,
        "dropped.png",
        "document.querySelectorAll('#form .surface')[1].dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));",
    );
    let files = "[...document.querySelectorAll('#form .surface small')].slice(0, 2).map((one) => one.textContent).join('; ')";
    let said = browser.text(files);
    let (first, second) = said.split_once("; ").expect("two inputs");
    assert!(first.contains("pasted.png") && second.contains("dropped.png"), "{said}");
    // All files, in an archive that others read.
    browser.click("#saveall", 0.5, 0.5);
    assert_eq!(browser.text("saved[0].saved"), "blend.zip");
    // What was refused is no part of the document.
    drop_files(&mut browser, "new File(['text'], 'refused.png', { type: 'image/png' })");
    browser.wait("document.getElementById('status').textContent.startsWith('refused.png: ')");
    browser.click("#saveall", 0.5, 0.5);
    browser.wait("saved[1]?.saved === 'blend.zip'");
    let zip = browser.text(
        "saved[1].arrayBuffer().then((bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))))",
    );
    let zip = STANDARD.decode(zip).expect("base64");
    let has = |name: &str| zip.windows(name.len()).any(|part| part == name.as_bytes());
    for name in ["blend.toml", "blend.frag", "pasted.png", "dropped.png"] {
        assert!(has(name), "{name}");
    }
    assert!(!has("refused.png"));
    assert!(zip.starts_with(b"PK\x03\x04"));
    // The picture and its values.
    let save = |browser: &mut Browser, kind: &str, n: usize| {
        browser.evaluate(&format!(
            "[...document.querySelectorAll('#form button')].find((one) => one.textContent === 'Save .{kind}').click()"
        ));
        browser.wait(&format!("saved[{n}]?.saved?.endsWith('.{kind}') === true"));
        let bytes = browser.text(&format!(
            "saved[{n}].arrayBuffer().then((bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes).slice(0, 65536))))"
        ));
        STANDARD.decode(bytes).expect("base64")
    };
    let png = save(&mut browser, "png", 2);
    assert!(browser::pixels(&png) == pixels(&mut browser));
    assert!(save(&mut browser, "npy", 3).starts_with(b"\x93NUMPY"));
    // The archive opens as it was saved.
    let before = pixels(&mut browser);
    choose(&mut browser, "examples", "'GLSL'");
    browser.wait("document.getElementById('examples').selectedOptions[0].value === 'GLSL' && location.hash === '#e=GLSL'");
    settled(&mut browser);
    assert!(pixels(&mut browser) != before);
    drop_files(&mut browser, "new File([saved[1]], 'blend.zip')");
    browser.wait("document.getElementById('examples').selectedOptions[0].text === 'a program'");
    settled(&mut browser);
    assert!(pixels(&mut browser) == before);
    content(&mut browser);
}

/// The files of a folder, as its input gives them.
#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn a_folder_is_opened_by_its_button() {
    let mut browser = playground(1280, 800, "#e=GLSL");
    let folder = tempfile::tempdir().expect("a folder");
    let job = folder.path().join("mine");
    std::fs::create_dir_all(job.join("parts")).expect("a folder");
    std::fs::write(
        job.join("a.toml"),
        "version = 1\nprogram = { file = \"parts/p.dpp\" }\ndomain = { i0 = 0, j0 = 0, i1 = 3, j1 = 3 }\n\
         [[output]]\nslot = 0\nformat = \"UINT8_4\"\nimage = \"p.png\"\n",
    )
    .expect("written");
    std::fs::write(job.join("parts/p.dpp"), "    mov o0, {0, 1, 0, 1}\n").expect("written");
    // A visitor chooses the folder in the browser's dialog.
    browser.evaluate("document.getElementById('folder').click = () => {}; 0");
    browser.click("#open", 0.5, 0.5);
    browser.wait("document.getElementById('opening').open");
    browser.click("#openfolder", 0.5, 0.5);
    let root = browser.call("DOM.getDocument", serde_json::json!({}));
    let node = serde_json::json!({ "nodeId": root["root"]["nodeId"], "selector": "#folder" });
    let node = browser.call("DOM.querySelector", node)["nodeId"].clone();
    let files = serde_json::json!({ "files": [job], "nodeId": node });
    browser.call("DOM.setFileInputFiles", files);
    browser.wait("document.getElementById('canvas').width === 4");
    settled(&mut browser);
    assert!(pixels(&mut browser).1.chunks_exact(3).all(|pixel| pixel == [0, 255, 0]));
    content(&mut browser);
}

/// What is too large for a link is in a list, from which it is opened again and deleted.
#[test]
#[ignore = "needs Chromium and web/build.sh"]
fn kept_documents_are_listed_opened_and_deleted() {
    let mut browser = playground(1280, 800, "#e=assembly");
    browser.click("#open", 0.5, 0.5);
    browser.wait("document.getElementById('opening').open");
    assert_eq!(browser.text("document.getElementById('kept-none').checkVisibility()"), "true");
    browser.key("Escape", 0);
    let size = 300;
    let job = "version = 1\\nprogram = { file = \"p.dpp\" }\\ndomain = { i0 = 0, j0 = 0, i1 = 3, j1 = 3 }\\n\
         [[input]]\\nslot = 0\\nfile = \"a.npy\"\\nformat = \"FLOAT32_1\"\\n[[output]]\\nslot = 0\\nformat = \"UINT8_4\"\\nimage = \"p.png\"\\n";
    let array = format!(
        "(() => {{ const head = `{{'descr': '<f4', 'fortran_order': False, 'shape': ({size}, {size}), }}`.padEnd(117) + '\\n'; \
         return new File([Uint8Array.from([0x93]), 'NUMPY', Uint8Array.from([1, 0, 118, 0]), head, new Uint8Array({size} * {size} * 4)], 'a.npy'); }})()"
    );
    drop_files(
        &mut browser,
        &format!(
            "new File(['{job}'], 'large.toml'), new File(['    ld r1, i0[r0.rg]\\n    add o0, r1, {{0, 1, 0, 1}}\\n'], 'p.dpp'), {array}"
        ),
    );
    browser.wait("document.getElementById('canvas').width === 4");
    settled(&mut browser);
    assert_eq!(browser.text("document.getElementById('status').className"), "good");
    write(&mut browser, "    ld r1, i0[r0.rg]\n    add o0, r1, {0, 0, 1, 1}\n");
    settled(&mut browser);
    browser.wait("location.hash.startsWith('#k=')");
    choose(&mut browser, "examples", "'sphere'");
    browser.wait("location.hash === '#e=sphere'");
    settled(&mut browser);
    browser.click("#open", 0.5, 0.5);
    browser.wait("document.querySelectorAll('#kept-list li').length === 1");
    let said = browser.text("document.getElementById('kept-list').textContent");
    assert!(said.starts_with("large.toml 352 KiB"), "{said}");
    browser.shot("1280-light-kept");
    browser.evaluate("document.querySelector('#kept-list a').click()");
    browser.wait("document.getElementById('canvas').width === 4");
    settled(&mut browser);
    assert!(pixels(&mut browser).1.chunks_exact(3).all(|pixel| pixel == [0, 0, 255]));
    assert_eq!(browser.text("document.getElementById('opening').open"), "false");
    browser.click("#open", 0.5, 0.5);
    browser.wait("document.getElementById('opening').open");
    browser.evaluate("document.querySelector('#kept-list button').focus()");
    browser.key("Enter", 0);
    browser.wait("document.getElementById('kept-none').checkVisibility()");
    content(&mut browser);
}
