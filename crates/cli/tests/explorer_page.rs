//! The page of `lanewise explore` in a browser, as a user meets it. The pictures in the documents
//! are
//! made here: `LANEWISE_SCREENSHOTS=docs cargo test -p lanewise-cli --test explorer_page`.

mod browser;
mod common;

use browser::Browser;
use common::Folder;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Duration;

/// Structs of four floats, of which one is used, and a loop over them.
const KERNEL: &str = "// The mean distance of each body from the others.
typedef struct { float x, y, z, mass; } Body;

kernel void spread(global const Body *bodies, global float *out, int n) {
  size_t i = get_global_id(0);
  float x = bodies[i].x;
  float sum = 0;
  for (int k = 0; k < n; k++) {
    float d = bodies[k].x - x;
    sum += sqrt(d * d + 0.01f);
  }
  out[i] = sum / n;
}
";

/// The program with its page, until it is dropped.
struct Served {
    child: Child,
    url: String,
}

impl Served {
    fn start(folder: &Folder, line: &str) -> Served {
        let mut command = folder.command(&format!("explore {line}"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
        assert!(url.starts_with("http://127.0.0.1:"), "{url}");
        Served { child, url: url.trim().to_owned() }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where the pictures for the documents go, if they are wanted.
fn pictures() -> Option<PathBuf> {
    let folder = std::env::var_os("LANEWISE_SCREENSHOTS").filter(|folder| !folder.is_empty())?;
    Some(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder))
}

fn picture(browser: &mut Browser, name: &str) {
    if let Some(folder) = pictures() {
        browser.screenshot(&folder.join(name));
    }
}

/// The line of an editor that has a text.
fn line(part: &str, text: &str) -> String {
    format!(
        "[...document.querySelectorAll('.{part} .cm-line')].find((line) => \
        line.textContent.includes('{text}'))"
    )
}

fn count(browser: &mut Browser, selector: &str) -> f64 {
    browser.number(&format!("document.querySelectorAll('{selector}').length"))
}

#[test]
fn the_page_is_explored() {
    let folder = Folder::new();
    folder.write("spread.cl", KERNEL);
    let served =
        Served::start(&folder, "spread.cl -g 16384 --arg rand:16384 --arg zeros:16384 --arg 500 --repeat 12");
    let mut browser = Browser::start(&folder.path(""));
    browser.window(1280, 800, false);
    browser.open(&served.url);

    // The source has the remarks at their lines.
    assert!(browser.text("document.title").contains("spread"));
    browser.wait("document.querySelectorAll('.source-part .note-memory').length > 0");
    let notes = browser.text("document.querySelector('.source-part').innerText");
    assert!(notes.contains("work-items at once") && notes.contains("interleaved, one of 4"), "{notes}");
    // The stage that is shown first is the vectorizer's, and what it changed is marked.
    let title = "document.querySelector('.stage-part h2').textContent";
    assert!(browser.text(title).starts_with("After run-vecz"), "{}", browser.text(title));
    assert!(count(&mut browser, ".stage-part .cm-line.added") > 0.0);
    // The assembly has costs and loops.
    assert!(count(&mut browser, ".assembly-part .cost .cm-gutterElement") > 5.0);
    assert!(browser.text("document.querySelector('.assembly-part').innerText").contains("cycles a trip"));
    assert!(count(&mut browser, ".assembly-part .cm-line.bounds") > 0.0);

    // Stages are picked by the mouse and by the keyboard.
    let item = |name: &str| {
        format!(
            "[...document.querySelectorAll('.stages li')].find((li) => li.textContent.includes('{name}'))"
        )
    };
    browser.eval(&format!("{}.scrollIntoView({{block: 'center'}})", item("work-item-loops")));
    browser.click(&item("work-item-loops"));
    browser.wait(&format!("{title}.startsWith('After work-item-loops')"));
    browser.key("]");
    browser.wait(&format!("{title}.startsWith('After join-large-ranges')"));
    browser.key("{");
    browser.wait(&format!("{title}.startsWith('After work-item-loops')"));
    browser.key("{");
    browser.wait(&format!("{title}.startsWith('After run-vecz')"));

    // Pointing at a line lights up those that belong to it, everywhere.
    browser.point_at(&line("source-part", "sqrt(d * d"));
    browser.wait("document.querySelectorAll('.source-part .cm-line.lit').length === 1");
    browser.wait("document.querySelectorAll('.assembly-part .cm-line.lit').length > 0");
    // A click moves the other texts there; the cursor goes on by keys.
    browser.click(&line("source-part", "sqrt(d * d"));
    browser.wait("document.querySelectorAll('.stage-part .cm-line.lit').length > 0");
    let lit = browser.text("document.querySelector('.assembly-part .cm-line.lit').textContent");
    browser.key("ArrowUp");
    browser.wait("document.querySelector('.source-part .cm-line.lit').textContent.includes('float d =')");
    // From the assembly to the source.
    browser.point_at(&format!(
        "[...document.querySelectorAll('.assembly-part .cm-line')].find((line) => line.textContent === {})",
        serde_json::to_string(&lit).unwrap()
    ));
    browser.wait("document.querySelector('.source-part .cm-line.lit')");
    picture(&mut browser, "explorer.png");

    // Another width is compiled again.
    browser.choose("width-0", "4");
    browser.wait("document.getElementById('result-0').textContent.startsWith('4 work-items at once')");
    browser.choose("wfv-0", "never");
    browser.choose("width-0", "");
    browser.wait("document.getElementById('result-0').textContent.startsWith('1 work-item at once')");
    browser.choose("wfv-0", "");
    browser.wait("!document.getElementById('result-0').textContent.startsWith('1 ')");
    // A setting that is wrong is said, and the page stays.
    browser.choose("local-0", "banana");
    browser.wait("document.getElementById('status').textContent.includes('one to three numbers')");
    browser.choose("local-0", "99999");
    browser.choose("local-0", "64");
    browser.wait(
        "document.getElementById('local-0').value === '64' && !document.getElementById('status').textContent",
    );

    // A run has its times, its place under the roofline, and what other settings would do.
    browser.key("r");
    browser.click("document.getElementById('run')");
    browser.wait("document.getElementById('summary').textContent.includes('median')");
    browser.wait("document.querySelector('#times canvas') && document.querySelector('#roofline canvas')");
    browser.wait("document.getElementById('accesses').textContent.includes('interleaved')");
    browser.click("document.getElementById('what-if')");
    browser.wait("document.querySelectorAll('#what-if-table tbody tr').length >= 8");
    browser.wait("!document.getElementById('run').disabled");
    let table = browser.text("document.getElementById('what-if-table').innerText");
    assert!(table.contains("scalar") && table.contains("width 32"), "{table}");
    // With other settings it is another run, and so it is where others are compared with it.
    browser.choose("width-0", "4");
    browser.wait("document.getElementById('summary').textContent.includes('Not run with these settings')");
    browser.click("document.getElementById('what-if')");
    browser.wait("document.querySelectorAll('#what-if-table tbody tr').length >= 8");
    browser.wait("!document.getElementById('run').disabled");
    let first = "document.querySelector('#what-if-table tbody tr').innerText";
    assert!(browser.text(first).starts_with("as it is\t4\t"), "{}", browser.text(first));
    browser.choose("width-0", "");
    browser.wait("!document.getElementById('result-0').textContent.startsWith('4 ')");
    // What is no size is told before it is sent.
    browser.eval("document.getElementById('global').value = 'banana'");
    browser.click("document.getElementById('run')");
    browser.wait("document.getElementById('run-message').textContent.includes('one to three numbers')");
    browser.eval("document.getElementById('global').value = '16384'");
    browser.eval("document.getElementById('arg-0').value = '@/etc/passwd'");
    browser.click("document.getElementById('run')");
    browser.wait("document.getElementById('run-message').textContent.includes('names no files')");

    // Two settings side by side, in a large window, dark.
    browser.window(1920, 1080, true);
    browser.key("c");
    browser.choose("width-1", "4");
    browser.wait("document.getElementById('result-1').textContent.startsWith('4 work-items at once')");
    assert_eq!(count(&mut browser, ".side"), 2.0);
    assert!(browser.text("document.getElementById('result-0').textContent") != "4 work-items at once");
    browser.eval("document.getElementById('arg-0').value = 'rand:16384'");
    browser.click("document.getElementById('run')");
    browser.wait(
        "!document.getElementById('run').disabled && !document.getElementById('run-message').textContent",
    );
    // Both are run.
    let summaries = browser.text("document.getElementById('summary').innerText");
    assert!(summaries.starts_with("A: best") && summaries.contains("\nB: best"), "{summaries}");
    assert!(summaries.contains("4 at once"), "{summaries}");
    picture(&mut browser, "explorer-compare.png");
    for (width, height) in [(1280, 720), (1920, 1080), (600, 800)] {
        browser.window(width, height, false);
        let [inner, all] = ["innerWidth", "scrollWidth"]
            .map(|size| browser.number(&format!("document.documentElement.{size} ?? window.{size}")));
        assert!(all <= inner.max(f64::from(width)), "at {width} the page is {all} wide");
    }
    browser.key("c");
    browser.wait("document.querySelectorAll('.side').length === 1");

    // The server refuses what the page must not ask for: these complaints were asked for.
    let complaints = browser.complaints();
    let real: Vec<_> = complaints.iter().filter(|text| !text.contains("422")).collect();
    assert!(real.is_empty(), "{real:#?}");
}

#[test]
fn a_written_file_needs_no_server() {
    let folder = Folder::new();
    folder.write("spread.cl", KERNEL);
    folder.ok(
        "explore spread.cl -g 8192 --arg rand:8192 --arg zeros:8192 --arg 100 --repeat 5 --html out.html",
    );
    let mut browser = Browser::start(&folder.path(""));
    browser.window(1280, 800, true);
    browser.open(&format!("file://{}", folder.path("out.html").display()));
    browser.wait("document.querySelector('#times canvas') && document.querySelector('#roofline canvas')");
    assert_eq!(browser.eval("document.getElementById('width-0').disabled"), true);
    browser.key("a");
    let advice = browser.text("document.getElementById('advice').innerText");
    assert!(advice.contains("4 apart"), "{advice}");
    // All texts are there for a search in the browser, which shows the stage that it found.
    let found = "document.getElementById('texts').textContent";
    assert!(browser.eval(&format!("{found}.includes('float d = bodies[k].x - x;')")) == true);
    assert!(browser.eval(&format!("{found}.includes('mux_get_global_id')")) == true);
    browser.eval(
        "(() => { const stages = [...document.querySelectorAll('#texts [id^=stage-0-]')]; const first = \
        stages[0]; \
         first.dispatchEvent(new Event('beforematch', {bubbles: true})); })()",
    );
    browser.wait("document.querySelector('.stage-part h2').textContent.startsWith('Before')");
    let complaints = browser.complaints();
    assert!(complaints.is_empty(), "{complaints:#?}");
}

/// A run that would take for ever is stopped from the page, and the next one can begin.
#[test]
fn a_run_is_stopped() {
    let folder = Folder::new();
    let kernel = "kernel void wait(global volatile int *p) {\n  while (*p == 0);\n}\n";
    folder.write("wait.cl", kernel);
    let served = Served::start(&folder, "wait.cl -g 1 --arg zeros:1 --repeat 2");
    let mut browser = Browser::start(&folder.path(""));
    browser.open(&served.url);
    browser.key("r");
    browser.click("document.getElementById('run')");
    browser.wait("!document.getElementById('stop').hidden");
    browser.click("document.getElementById('stop')");
    browser.wait("document.getElementById('run-message').textContent === 'stopped'");
    browser.eval("document.getElementById('arg-0').value = 'rand:1'");
    browser.click("document.getElementById('run')");
    browser.wait("document.getElementById('summary').textContent.includes('median')");
}

/// Two settings in one file, with a run of each.
#[test]
fn a_written_file_compares() {
    let folder = Folder::new();
    folder.write("spread.cl", KERNEL);
    folder.ok(
        "explore spread.cl -g 1024 --arg rand:1024 --arg zeros:1024 --arg 10 --repeat 3 --compare --lanes=4 \
        --html out.html",
    );
    let mut browser = Browser::start(&folder.path(""));
    browser.window(1920, 1080, false);
    browser.open(&format!("file://{}", folder.path("out.html").display()));
    assert_eq!(count(&mut browser, ".side"), 2.0);
    browser.wait("document.getElementById('result-1').textContent.startsWith('4 work-items at once')");
    browser.wait("document.getElementById('summary').innerText.includes('\\nB: best')");
    for sides in [1.0, 2.0] {
        browser.key("c");
        assert_eq!(count(&mut browser, ".side"), sides);
        assert_eq!(
            browser.text("document.getElementById('summary').innerText").contains("B: best"),
            sides > 1.0
        );
    }
    assert!(browser.text("document.getElementById('result-1').textContent").starts_with("4 work-items"));
    let complaints = browser.complaints();
    assert!(complaints.is_empty(), "{complaints:#?}");
}

/// Names and sources are only text, whatever they hold.
#[test]
fn text_is_no_markup() {
    let folder = Folder::new();
    let file = "a\"><img src=x onerror=window.hacked=1> <b>漢字&lt;.cl";
    let source = "// </script><script>window.hacked = 2</script> <!-- <script> äöü 😀\n/* </pre><img src=x \
        onerror=window.hacked=3> \u{2028} */ kernel void k(global float *a) {\r\n  size_t i = \
        get_global_id(0);\n  a[i] = sqrt(a[i]);\n}\n";
    folder.write(file, source);
    folder.ok(&format!("explore '{file}' --html out.html"));
    let served = Served::start(&folder, &format!("'{file}'"));
    for url in [served.url.clone(), format!("file://{}", folder.path("out.html").display())] {
        let mut browser = Browser::start(&folder.path(""));
        browser.open(&url);
        browser.wait("document.querySelectorAll('.source-part .note-memory').length > 0");
        let shown = browser.text("document.querySelector('.source-part').innerText");
        assert!(
            shown.contains("</script><script>window.hacked = 2</script> <!-- <script> äöü 😀"),
            "{shown}"
        );
        assert!(browser.text("document.querySelector('.source-part h2').textContent").starts_with(file));
        assert_eq!(browser.eval("typeof window.hacked"), "undefined");
        assert_eq!(count(&mut browser, "img"), 0.0);
        let complaints = browser.complaints();
        assert!(complaints.is_empty(), "{complaints:#?}");
    }
    // Compiling again what does not compile any more is said, and the page stays.
    let mut browser = Browser::start(&folder.path(""));
    browser.open(&served.url);
    folder.write(file, "kernel void k(global float *a) { a[0] = <b>oops</b>; }");
    browser.choose("width-0", "4");
    browser.wait("document.getElementById('status').textContent.includes('<b>oops</b>')");
    assert!(browser.text("document.querySelector('.source-part').innerText").contains("sqrt(a[i])"));
    assert_eq!(count(&mut browser, "#status b"), 0.0);
}

/// A kernel of 2,000 lines.
fn large() -> String {
    let mut text = String::from("kernel void large(global float *a, global const float *b) {\n");
    text += "  size_t i = get_global_id(0);\n  float x = a[i];\n";
    for n in 0..1994 {
        let _ = match n % 16 {
            0 => writeln!(text, "  x = x * {}.5f + b[i + {}];", n % 17, n % 64),
            1 => writeln!(text, "  if (x > {}.0f)", 100 + n),
            2 => writeln!(text, "    x -= {}.0f;", n % 32),
            3 => writeln!(text, "  x = fma(x, 0.25f, {}.0f);", n % 7),
            n => writeln!(text, "  // Line {n} of a comment that explains the step before."),
        };
    }
    text + "  a[i] = x;\n}\n"
}

#[test]
fn a_large_kernel_opens_fast_and_scrolls() {
    let folder = Folder::new();
    let source = large();
    assert_eq!(source.lines().count(), 1999);
    folder.write("large.cl", &source);
    // Passes that are run one by one give as many stages.
    let passes = ["sroa", "early-cse", "instcombine", "simplifycfg", "reassociate", "sccp", "adce", "dce"];
    let dump = folder.path("dump");
    let run = "run large.cl -g 256 --arg zeros:256 --arg zeros:512 --remarks";
    assert!(folder.command(run).env("LANEWISE_DUMP", &dump).output().unwrap().status.success());
    let last = |folder: &Folder| {
        let names = std::fs::read_dir(folder.path("dump")).unwrap();
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).max().unwrap()
    };
    let mut number = last(&folder)[..4].parse::<usize>().unwrap();
    let text = String::from_utf8(folder.read(&format!("dump/{}", last(&folder)))).unwrap();
    let body = text.split_once("\n; ").unwrap().1.split_once('\n').unwrap().1;
    while number < 62 {
        number += 1;
        let pass = passes[number % passes.len()];
        // Each of them changes something all over the kernel.
        let changed =
            body.replace("fmul float", &format!("fmul {} float", ["fast", "nsz", "arcp"][number % 3]));
        let header =
            format!("; After {pass}, from x, in 0.100 ms:\n; lanewise opt --passes 'llvm({pass})' x\n");
        folder.write(&format!("dump/{number:04}-llvm-{pass}.large.ll"), header + &changed);
    }
    folder.ok("explore dump -k large --html large.html");
    let mut browser = Browser::start(&folder.path(""));
    browser.window(1280, 800, false);
    let took = browser.open(&format!("file://{}", folder.path("large.html").display()));
    assert!(count(&mut browser, ".stages [role=option]") >= 60.0);
    // The time of the page's own thread: that of the clock is shared with whatever else runs.
    let busy = browser.busy();
    println!("opened in {took:?}, of which the page took {busy:?}");
    assert!(busy < Duration::from_secs(2), "the page took {busy:?} to open");
    // From the first line to the last, and from stage to stage.
    let scroll = "new Promise((done) => { const s = document.querySelector('.stage-part .cm-scroller'); \
    const start = \
        performance.now(); let n = 0; const step = () => { s.scrollTop = (n / 60) * s.scrollHeight; if (n++ \
        < 60) \
        requestAnimationFrame(step); else done(performance.now() - start); }; step(); })";
    browser.number(scroll);
    let frame = (browser.busy() - busy) / 60;
    println!("a frame takes {frame:?}");
    assert!(frame < Duration::from_millis(50), "a frame takes {frame:?}");
    let stages = "(() => { const start = performance.now(); for (let n = 0; n < 20; n++) \
        document.dispatchEvent(new KeyboardEvent('keydown', {key: '['})); return (performance.now() - \
        start) / 20; })()";
    let before = browser.busy();
    browser.number(stages);
    let step = (browser.busy() - before) / 20;
    println!("a stage takes {step:?}");
    assert!(step < Duration::from_millis(200), "a stage takes {step:?}");
}
