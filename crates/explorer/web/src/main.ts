// The page of `lanewise explore`: a kernel's source, the stages of its compilation and its assembly side by side.

import "uplot/dist/uPlot.min.css";
import "./page.css";
import { el, milliseconds, number, replace, sizes } from "./dom";
import { textStage, withTexts, type Advice, type Compilation, type Page, type RunResult, type Settings, type Wfv } from "./model";
import { Pane, type Block, type LineNote, type PaneText } from "./pane";
import { RunPanel } from "./run";

const page: Page = JSON.parse(document.getElementById("data")!.textContent!);
const token = new URLSearchParams(location.search).get("token") ?? "";

/** One setting and what became of it. The page shows one, or two side by side. */
interface Side {
  compilation: Compilation;
  /** What the controls say, which may be compiled only now. */
  settings: Settings;
  stage: number;
  wanted: number;
}

const newSide = (compilation: Compilation): Side => ({
  compilation,
  settings: structuredClone(compilation.settings),
  stage: mostInteresting(compilation),
  wanted: 0,
});
const sides: Side[] = [newSide(withTexts(page.compilation, 0))];
if (page.other) sides.push(newSide(withTexts(page.other, 1)));

/** The stage to begin with: the vectorizer's, or the last one. */
function mostInteresting(of: Compilation): number {
  const vectorized = of.stages.findIndex((stage) => stage.name === "run-vecz" && stage.changes.length > 0);
  return vectorized >= 0 ? vectorized : Math.max(0, of.stages.length - 1);
}

async function ask<T>(path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const answer = await fetch(path, {
    method: body === undefined ? "GET" : "POST",
    headers: { "X-Lanewise-Token": token, "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  }).catch(() => {
    throw new Error(signal?.aborted ? "stopped" : "The program that serves this page has ended.");
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json() as Promise<T>;
}

// ---- What stands at the lines -------------------------------------------------------------------

function sourceText(of: Compilation): PaneText {
  const notes = new Map<number, LineNote>();
  const at = (line: number) => {
    const number = line > 0 ? line : 1;
    if (!notes.has(number)) notes.set(number, { classes: ["has-remark"], after: [] });
    return notes.get(number)!;
  };
  for (const remark of of.remarks) {
    const text = `${remark.text}${remark.is_local ? " (local memory)" : ""}${remark.line > 0 ? "" : " (its line is not known)"}`;
    at(remark.line).after!.push({ kind: remark.kind, text });
  }
  // The remark on the width stands at the kernel's own line.
  const start = of.remarks.find((remark) => remark.kind === "width" || remark.kind === "scalar")?.line;
  return { text: of.source.text, language: of.source.language === "opencl" ? "opencl" : "ir", lines: null, notes, start };
}

const REMOVED_LINES = 12;

function stageText(of: Compilation, n: number): PaneText {
  const stage = of.stages[n];
  const shown = textStage(of, n);
  const notes = new Map<number, LineNote>();
  const old = n > 0 ? textStage(of, n - 1).text.split("\n") : [];
  const last = shown.lines.length;
  for (const change of stage.changes) {
    for (let line = change.new + 1; line <= change.new + change.added; line++) notes.set(line, { classes: ["added"] });
    if (change.removed === 0) continue;
    const gone = old.slice(change.old, change.old + change.removed);
    const text = gone.slice(0, REMOVED_LINES).join("\n");
    const more = gone.length > REMOVED_LINES ? `\n… ${gone.length - REMOVED_LINES} more lines` : "";
    const block: Block = { kind: "removed", text: text + more };
    const atEnd = change.new + 1 > last;
    const line = Math.max(1, Math.min(change.new + 1, last));
    const note = notes.get(line) ?? {};
    notes.set(line, atEnd ? { ...note, after: [block] } : { ...note, before: [block] });
  }
  // What is shown first is the largest change.
  const largest = stage.changes.reduce((a, b) => (a && a.added + a.removed >= b.added + b.removed ? a : b), stage.changes[0]);
  return { text: shown.text, language: "ir", lines: shown.lines, notes, start: (largest?.new ?? 0) + 1 };
}

function assemblyText(of: Compilation): PaneText {
  const { assembly } = of;
  const notes = new Map<number, LineNote>();
  const note = (line: number) => {
    if (!notes.has(line)) notes.set(line, { classes: [] });
    return notes.get(line)!;
  };
  for (const cost of assembly.costs) {
    const one = note(cost.line);
    one.gutter = cost.throughput.toFixed(2);
    one.gutterTitle = `${cost.throughput} cycles of throughput, ${cost.latency} of latency, ${cost.micro_ops} micro-operations`;
  }
  for (const loop of assembly.loops) {
    for (const [first, last] of loop.parts)
      for (let line = first; line <= last; line++) note(line).classes!.push("loop", `loop-${Math.min(loop.depth, 3)}`);
    const where = loop.line > 0 ? `loop of line ${loop.line}` : "loop";
    const text = loop.cost
      ? `${where}: ${loop.cost.cycles.toFixed(1)} cycles a trip, ${loop.cost.micro_ops} micro-operations, bound by ${loop.cost.bound}`
      : `${where}, with others inside`;
    const head = note(loop.parts[0][0]);
    head.before = [...(head.before ?? []), { kind: "loop", text }];
    for (const line of loop.cost?.by ?? []) note(line).classes!.push("bounds");
  }
  if (assembly.note) note(1).before = [{ kind: "scalar", text: assembly.note }, ...(note(1).before ?? [])];
  const start = (assembly.loops.find((loop) => loop.cost) ?? assembly.loops[0])?.parts[0][0];
  return { text: assembly.text, language: "assembly", lines: assembly.lines, notes, start };
}

// ---- The page -----------------------------------------------------------------------------------

const app = document.getElementById("app")!;
const status = el("span", { id: "status", role: "status" });
const sourcePlace = el("div", { className: "editor" });
const sourceTitle = el("h2");
const columns = el("main");
const panes: Pane[] = [];

const source = new Pane(sourcePlace, "source", page.live, pointed);
panes.push(source);

/** The column of a side: the list of stages with the stage, and the assembly. */
class Column {
  readonly node: HTMLElement;
  readonly controls: HTMLElement;
  private readonly list = el("ol", { className: "stages", tabIndex: 0, role: "listbox" });
  private readonly stagePlace = el("div", { className: "editor" });
  private readonly assemblyPlace = el("div", { className: "editor" });
  private readonly stageTitle = el("h2");
  private readonly assemblyTitle = el("h2");
  readonly stage: Pane;
  readonly assembly: Pane;

  constructor(readonly index: number) {
    this.list.setAttribute("aria-label", "stages");
    this.list.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      if (step === 0) return;
      event.preventDefault();
      this.pick(sides[this.index].stage + step);
    });
    this.stage = new Pane(this.stagePlace, "stage", page.live, pointed);
    this.assembly = new Pane(this.assemblyPlace, "assembly", page.live, pointed);
    panes.push(this.stage, this.assembly);
    this.controls = el("div", { className: "controls" });
    this.node = el("div", { className: "side" }, [
      el("section", { className: "stage-part" }, [this.stageTitle, el("div", { className: "split" }, [this.list, this.stagePlace])]),
      el("section", { className: "assembly-part" }, [this.assemblyTitle, this.assemblyPlace]),
    ]);
  }

  show() {
    const { compilation: of, stage } = sides[this.index];
    const slowest = Math.max(0.001, ...of.stages.map((one) => one.ms ?? 0));
    let group = "";
    const items: Node[] = [];
    of.stages.forEach((one, n) => {
      if (one.group !== group) {
        group = one.group;
        items.push(el("li", { className: "group", textContent: group, role: "presentation" }));
      }
      const [added, removed] = one.changes.reduce(([a, r], c) => [a + c.added, r + c.removed], [0, 0]);
      const changed = added + removed > 0 ? `+${added} −${removed}` : "";
      const bar = el("i", { className: "bar" });
      bar.style.width = `${(100 * (one.ms ?? 0)) / slowest}%`;
      const item = el("li", { id: `stage-${this.index}-item-${n}`, role: "option", title: one.pass, className: changed || n === 0 ? "" : "same" }, [
        el("span", { className: "name", textContent: one.name }),
        el("span", { className: "figures", textContent: `${changed} ${one.ms === null ? "" : milliseconds(one.ms)}` }),
        bar,
      ]);
      item.setAttribute("aria-selected", String(n === stage));
      item.addEventListener("click", () => this.pick(n));
      items.push(item);
    });
    replace(this.list, items);
    // The controls come first: the height that they take is not that of the texts.
    this.showControls();
    this.showStage();
    this.assemblyTitle.textContent = `Assembly for ${of.machine.cpu}`;
    this.assembly.show(assemblyText(of));
  }

  pick(n: number) {
    const side = sides[this.index];
    side.stage = Math.max(0, Math.min(n, side.compilation.stages.length - 1));
    for (const item of this.list.querySelectorAll("[role=option]"))
      item.setAttribute("aria-selected", String(item.id === `stage-${this.index}-item-${side.stage}`));
    this.showStage();
  }

  private showStage() {
    const { compilation: of, stage } = sides[this.index];
    if (of.stages.length === 0) return;
    const one = of.stages[stage];
    const what = one.changes.length ? `${one.changes.length} change${one.changes.length === 1 ? "" : "s"}` : stage ? "no change" : "";
    this.stageTitle.textContent = [`After ${one.name}`.replace("After before", "Before"), one.ms === null ? "" : milliseconds(one.ms), what]
      .filter((part) => part)
      .join(" · ");
    this.list.setAttribute("aria-activedescendant", `stage-${this.index}-item-${stage}`);
    this.list.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
    this.stage.show(stageText(of, stage));
  }

  /** The options as controls, or as text in a file. */
  private showControls() {
    const { compilation: of, settings } = sides[this.index];
    const id = (name: string) => `${name}-${this.index}`;
    const field = (name: string, label: string, control: HTMLElement) => {
      control.id = id(name);
      if (!page.live) control.setAttribute("disabled", "");
      return el("label", {}, [el("span", { textContent: label }), control]);
    };
    const select = (options: [string, string][], value: string, set: (value: string, to: Settings) => void) => {
      const control = el("select");
      for (const [key, text] of options) control.append(el("option", { value: key, textContent: text }));
      if (!options.some(([key]) => key === value)) control.append(el("option", { value, textContent: value }));
      control.value = value;
      control.addEventListener("change", () => this.compileWith((to) => set(control.value, to)));
      return control;
    };
    const widths: [string, string][] = [["", "chosen"], ...[2, 4, 8, 16, 32, 64].map((n): [string, string] => [String(n), String(n)])];
    const local = el("input", { value: settings.local?.join(",") ?? "", placeholder: of.local.join(","), size: 9, inputMode: "numeric" });
    local.addEventListener("change", () => {
      const wanted = sizes(local.value);
      if (!wanted && local.value.trim()) return say("The local size is one to three numbers: 64 or 16,16.", true);
      return this.compileWith((to) => (to.local = wanted));
    });
    const fast = el("input", { type: "checkbox", checked: settings.fast_math });
    fast.addEventListener("change", () => this.compileWith((to) => (to.fast_math = fast.checked)));
    const cpus: [string, string][] = [["", `this one (${of.machine.here ? of.machine.cpu : "host"})`], ...of.machine.cpus.map((cpu): [string, string] => [cpu, cpu])];
    replace(this.controls, [
      el("b", { textContent: sides.length > 1 ? "AB"[this.index] : "" }),
      field("kernel", "Kernel", select(of.kernels.map((name) => [name, name]), of.kernel, (value, to) => (to.kernel = value))),
      field("width", "Width", select(widths, String(settings.lanes ?? ""), (value, to) => (to.lanes = value ? Number(value) : null))),
      field("wfv", "-cl-wfv", select([["", "auto"], ["always", "always"], ["never", "never"]], settings.wfv === "auto" ? "" : (settings.wfv ?? ""), (value, to) => (to.wfv = value ? (value as Wfv) : null))),
      field("local", "Local size", local),
      field("fast", "-cl-fast-relaxed-math", fast),
      field("cpu", "CPU", select(cpus, settings.cpu ?? "", (value, to) => (to.cpu = value || null))),
      el("span", { className: "result", id: id("result"), textContent: `${of.width} work-item${of.width === 1 ? "" : "s"} at once · ${milliseconds(of.ms)}` }),
    ]);
  }

  /** Compiles with a changed setting. Only the last of several wishes is shown. */
  async compileWith(change: (settings: Settings) => void) {
    const side = sides[this.index];
    change(side.settings);
    const wish = ++side.wanted;
    const focused = document.activeElement?.id;
    say("compiling …");
    try {
      const compilation = await ask<Compilation>(this.index === 0 ? "/api/compile" : "/api/compile/other", side.settings);
      if (wish !== side.wanted) return;
      const name = side.compilation.stages[side.stage]?.name;
      const same = compilation.stages.findIndex((stage) => stage.name === name);
      side.compilation = compilation;
      side.stage = same >= 0 ? same : mostInteresting(compilation);
      say("");
      if (this.index === 0) {
        lastRun = null;
        showSource();
      }
      this.show();
      showAdvice();
      runPanel.settingsChanged();
      if (focused) document.getElementById(focused)?.focus();
    } catch (why) {
      if (wish === side.wanted) say((why as Error).message, true);
    }
  }
}

function say(text: string, wrong = false) {
  status.textContent = text;
  status.className = wrong ? "wrong" : "";
}

function showSource() {
  const of = sides[0].compilation;
  const note = of.source.note ? ` · ${of.source.note}` : "";
  sourceTitle.textContent = `${of.file}${note}`;
  source.show(sourceText(of));
}

// ---- Lines that belong together -----------------------------------------------------------------

let litLine = 0;

function pointed(line: number, firm: boolean, from: Pane) {
  if (line === litLine && !firm) return;
  litLine = line;
  for (const pane of panes) pane.light(line, firm && pane !== from);
}

// ---- Below: advice and runs ---------------------------------------------------------------------

/** The last run, as long as the settings are those it had. */
let lastRun: RunResult | null = page.run;

/** What only a run can tell. */
function adviceOnRun(): Advice[] {
  const branches = lastRun?.branches.filter((branch) => branch.diverging > 0) ?? [];
  return branches.map(({ line, diverging, groups }) => ({
    line,
    text: `this branch diverges in ${diverging} of ${groups} groups: ${10 * diverging < groups ? "rarely, the other groups skip what none of their work-items needs" : "both sides run in these; sort the work, so that neighbours go the same way"}`,
    figure: `groups of ${lastRun!.width} neighbouring work-items, ${number((100 * diverging) / groups)} %`,
  }));
}

const adviceList = el("ul", { id: "advice" });

function showAdvice() {
  const { advice, log } = sides[0].compilation;
  const all = [...advice, ...adviceOnRun()];
  const items: Node[] = all.map((one) => {
    const go = el("button", { className: "link", textContent: one.line > 0 ? `line ${one.line}` : "kernel" });
    go.addEventListener("click", () => source.goTo(one.line));
    return el("li", {}, [go, el("span", { textContent: one.text }), el("em", { textContent: one.figure })]);
  });
  if (items.length === 0) items.push(el("li", { textContent: "Nothing to say about this kernel: what is known to help is done." }));
  if (log.trim()) items.push(el("li", {}, [el("pre", { textContent: log.trim() })]));
  replace(adviceList, items);
}

const runPanel = new RunPanel(page, {
  compilations: () => sides.map((side) => side.compilation),
  run: (body, signal) => ask<RunResult>("/api/run", body, signal),
  roofline: () => ask("/api/roofline"),
  ran: (run) => {
    lastRun = run;
    showAdvice();
  },
});

const tabs: [string, HTMLElement][] = [
  ["Advice", adviceList],
  ["Run", runPanel.node],
];
const tabButtons = tabs.map(([name, node]) => {
  const button = el("button", { textContent: name, role: "tab", id: `tab-${name.toLowerCase()}` });
  button.addEventListener("click", () => openTab(name));
  node.setAttribute("role", "tabpanel");
  node.setAttribute("aria-labelledby", button.id);
  return button;
});

function openTab(wanted: string) {
  tabs.forEach(([name, node], n) => {
    node.hidden = name !== wanted;
    tabButtons[n].setAttribute("aria-selected", String(name === wanted));
  });
  if (wanted === "Run") runPanel.opened();
}

const below = el("footer", {}, [el("nav", { role: "tablist" }, tabButtons), ...tabs.map(([, node]) => node)]);

// ---- Two settings side by side ------------------------------------------------------------------

const compare = el("button", { id: "compare", textContent: "Compare" });
compare.title = "Show a second setting beside this one (c)";
compare.addEventListener("click", () => toggleCompare());
let columnsShown: Column[] = [];

/** The second setting of a written file, while it is not shown. */
let hiddenSide: Side | undefined;

function toggleCompare() {
  if (sides.length > 1) hiddenSide = sides.pop();
  else sides.push((!page.live && hiddenSide) || { ...structuredClone(sides[0]), wanted: 0 });
  layOut();
  runPanel.opened();
}

function layOut() {
  panes.length = 1;
  columnsShown = sides.map((_, index) => new Column(index));
  compare.setAttribute("aria-pressed", String(sides.length > 1));
  if (!page.live && !page.other) compare.hidden = true;
  app.className = sides.length > 1 ? "two" : "one";
  replace(controls, columnsShown.map((column) => column.controls));
  replace(columns, [el("section", { className: "source-part" }, [sourceTitle, sourcePlace]), ...columnsShown.map((column) => column.node)]);
  for (const column of columnsShown) column.show();
  litLine = 0;
}

// ---- Light, dark, keys --------------------------------------------------------------------------

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = el("button", { id: "theme", textContent: "Light / dark" });
theme.title = "Change between light and dark (t)";
theme.addEventListener("click", toggleTheme);

function toggleTheme() {
  const root = document.documentElement;
  const now = root.dataset.theme ?? (dark.matches ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
  runPanel.opened();
}
dark.addEventListener("change", () => runPanel.opened());
// The plots are as wide as there is room.
let resized = 0;
addEventListener("resize", () => {
  cancelAnimationFrame(resized);
  resized = requestAnimationFrame(() => runPanel.opened());
});

const help = el("dialog", { id: "help" }, [
  el("h2", { textContent: "Keys" }),
  el("dl", {}, ([
    ["[ and ]", "the stage before, the next one"],
    ["{ and }", "the stage before or after that changed something"],
    ["1, 2, 3", "to the source, the stage, the assembly"],
    ["arrows", "move in a text or in the list of stages; other texts follow"],
    ["c", "compare two settings"],
    ["a, r", "advice, runs"],
    ["t", "light or dark"],
  ] as const).flatMap(([key, what]) => [el("dt", { textContent: key }), el("dd", { textContent: what })])),
  el("form", { method: "dialog" }, [el("button", { textContent: "Close" })]),
]);
const helpButton = el("button", { id: "keys", textContent: "?" });
helpButton.title = "Keys (?)";
helpButton.addEventListener("click", () => help.showModal());

function step(by: number, onlyChanges: boolean) {
  for (const column of columnsShown) {
    const { stages } = sides[column.index].compilation;
    let n = sides[column.index].stage + by;
    while (onlyChanges && n > 0 && n < stages.length - 1 && stages[n].changes.length === 0) n += by;
    column.pick(n);
  }
}

const keys: Record<string, () => void> = {
  "[": () => step(-1, false),
  "]": () => step(1, false),
  "{": () => step(-1, true),
  "}": () => step(1, true),
  "1": () => source.view.focus(),
  "2": () => columnsShown[0].stage.view.focus(),
  "3": () => columnsShown[0].assembly.view.focus(),
  c: () => (compare.hidden ? undefined : toggleCompare()),
  a: () => openTab("Advice"),
  r: () => openTab("Run"),
  t: toggleTheme,
  "?": () => help.showModal(),
};

document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
  const searching = (event.target as HTMLElement).closest?.(".cm-panel");
  if (typing || searching || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = keys[event.key];
  if (!key) return;
  event.preventDefault();
  key();
});

// A text that the browser's search found in a written file is shown where it belongs.
document.getElementById("texts")!.addEventListener("beforematch", (event) => {
  const [, side, stage] = /^stage-(\d)-(\d+)$/.exec((event.target as HTMLElement).id) ?? [];
  if (stage !== undefined) columnsShown[Number(side)]?.pick(Number(stage));
});

const controls = el("div", { id: "controls" });
replace(app, [
  el("header", {}, [el("h1", { textContent: "Lanewise" }), controls, el("div", { className: "buttons" }, [compare, theme, helpButton])]),
  status,
  columns,
  below,
  help,
]);
showSource();
layOut();
showAdvice();
openTab(page.run ? "Run" : "Advice");
document.documentElement.dataset.ready = "yes";
