// Runs of the kernel: the times as a plot, the place under the roofline, the accesses against what memory could give, and
// the table of "what if".

import { el, milliseconds, number, replace, sizes } from "./dom";
import type { Compilation, Page, Roofline, RunResult, Settings } from "./model";
import { plotRoofline, plotTimes } from "./plots";

interface Environment {
  /** What the page shows: one compilation, or two side by side. */
  compilations: () => Compilation[];
  run: (body: unknown, signal: AbortSignal) => Promise<RunResult>;
  roofline: () => Promise<Roofline>;
  /** The kernel was run, which says more about it. */
  ran: (run: RunResult) => void;
}

const best = (run: RunResult) => Math.min(...run.times_ms);
const median = (run: RunResult) => [...run.times_ms].sort((a, b) => a - b)[Math.floor(run.times_ms.length / 2)];

const SIZES: Record<string, number> = { bool: 1, char: 1, uchar: 1, short: 2, ushort: 2, half: 2, int: 4, uint: 4, float: 4, long: 8, ulong: 8, double: 8, pointer: 8 };
const CACHE_LINE = 64;

interface AccessClass {
  how: string;
  lines: number[];
  /** The size of the accesses, each of them once. */
  bytes: number;
  /** The bytes of a launch. */
  moved: number;
  /** The part of each cache line that is used. */
  used: number;
}

/** An access that a remark tells of. */
interface Access {
  line: number;
  how: string;
  bytes: number;
}

function accesses(of: Compilation): Access[] {
  return of.remarks.flatMap((remark) => {
    // Local memory is in the caches, and not among the bytes that are counted.
    const match = remark.kind === "memory" && !remark.is_local ? /^(.+) of (\w+?)(\d*): (.*)$/.exec(remark.text) : null;
    if (!match) return [];
    const lanes = match[3] === "3" ? 4 : Number(match[3] || 1);
    return [{ line: remark.line, how: match[4], bytes: (SIZES[match[2]] ?? 4) * lanes }];
  });
}

/** The accesses of a kernel by how they are done, from the vectorizer's remarks, with what each moved in a run. */
function accessClasses(of: Compilation, run: RunResult): AccessClass[] {
  const classes = new Map<string, AccessClass>();
  const all = accesses(of);
  const sum = (some: Access[]) => some.reduce((bytes, one) => bytes + one.bytes, 0);
  const byLine = new Map(run.bytes_by_line);
  for (const { line, how, bytes } of all) {
    // Those of a line share its bytes. Where lines are not known, all are taken to be equally frequent.
    const part = byLine.size ? ((byLine.get(line) ?? 0) * bytes) / sum(all.filter((other) => other.line === line)) : (run.bytes! * bytes) / sum(all);
    const stride = /strided by (-?\d+) bytes/.exec(how);
    const used = stride ? Math.min(1, bytes / Math.min(CACHE_LINE, Math.abs(Number(stride[1])) || bytes)) : /gather|scatter|lane after/.test(how) && !how.startsWith("contiguous") ? bytes / CACHE_LINE : 1;
    // A uniform access is one for all lanes.
    const moved = how.startsWith("uniform") ? part / run.width : part;
    const one = classes.get(how) ?? { how, lines: [], bytes: 0, moved: 0, used };
    if (!one.lines.includes(line)) one.lines.push(line);
    one.bytes += bytes;
    one.moved += moved;
    // Of the fields of a record, those that nobody reads are moved all the same.
    const fields = /interleaved, one of (\d+)/.exec(how);
    if (fields) one.used = Math.min(1, one.bytes / (bytes * Number(fields[1])));
    classes.set(how, one);
  }
  return [...classes.values()];
}

/** A run, with the request that asked for it, by which it is told from one with other settings. */
interface Measured {
  name: string;
  request: string;
  run: RunResult;
}

export class RunPanel {
  readonly node: HTMLElement;
  private readonly form = el("form", { className: "run-form" });
  private readonly global = el("input", { id: "global", size: 12, required: true });
  private readonly repeat = el("input", { id: "repeat", type: "number", min: "1", max: "10000", required: true });
  private readonly args = el("div", { className: "args" });
  private readonly button = el("button", { id: "run", textContent: "Run" });
  private readonly whatIf = el("button", { id: "what-if", type: "button", textContent: "What if …" });
  private readonly stop = el("button", { id: "stop", type: "button", textContent: "Stop", hidden: true });
  private readonly message = el("p", { className: "message", role: "status", id: "run-message" });
  private readonly summary = el("figcaption", { id: "summary" });
  private readonly times = el("div", { id: "times" });
  private readonly roof = el("div", { id: "roofline" });
  private readonly accesses = el("div", { id: "accesses" });
  private readonly table = el("div", { id: "what-if-table" });
  /** Of each side, in their order. */
  private runs: Measured[] = [];
  private rows: [string, RunResult][];
  private roofline: Roofline | null;
  private kernel = "";
  /** The arguments of each kernel, as they were left. */
  private readonly kept = new Map<string, string[]>();
  private stopper = new AbortController();

  constructor(private readonly page: Page, private readonly environment: Environment) {
    this.rows = page.what_if;
    this.roofline = page.roofline;
    if (page.args.length) this.kept.set(page.args_of, page.args);
    this.global.value = page.global.join(",") || "1048576";
    this.repeat.value = String(page.repeat || 20);
    this.form.append(
      el("label", {}, [el("span", { textContent: "Global size" }), this.global]),
      el("label", {}, [el("span", { textContent: "Launches" }), this.repeat]),
      this.args,
      el("div", { className: "buttons" }, [this.button, this.whatIf, this.stop]),
      this.message,
    );
    this.form.hidden = !page.live;
    this.form.noValidate = true;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.start();
    });
    this.whatIf.addEventListener("click", () => void this.tryOthers());
    this.stop.addEventListener("click", () => this.stopper.abort());
    this.node = el("div", { className: "run-panel" }, [
      this.form,
      el("div", { className: "plots" }, [
        el("figure", {}, [this.times, this.summary]),
        el("figure", {}, [this.roof]),
      ]),
      el("div", { className: "tables" }, [this.accesses, this.table]),
    ]);
  }

  /** Another kernel has other arguments, and what other settings took is not what these take. */
  settingsChanged() {
    const all = this.environment.compilations();
    const [of] = all;
    if (of.kernel !== this.kernel) {
      if (this.kernel) this.kept.set(this.kernel, this.argumentTexts());
      this.kernel = of.kernel;
      const kept = this.kept.get(of.kernel) ?? [];
      replace(this.args, of.params.map((param, n) => {
        const input = el("input", { name: `arg-${n}`, id: `arg-${n}`, value: kept[n] ?? param.example, size: 14 });
        return el("label", { title: param.type_name }, [el("span", { textContent: `${param.type_name} ${param.name}` }), input]);
      }));
    }
    if (!this.page.live) return;
    const before = this.runs.length;
    const settings = all.map((one) => JSON.stringify(one.settings));
    const isOf = (one: Measured, n: number) => JSON.stringify((JSON.parse(one.request) as { of: Settings }).of) === settings[n];
    const wrong = this.runs.findIndex((one, n) => !isOf(one, n));
    if (wrong >= 0) this.runs.length = wrong;
    if (this.runs.length === before) return;
    if (this.runs.length === 0) this.rows = [];
    if (!this.node.hidden) this.show();
  }

  /** The panel can be seen, or its colours have changed. */
  opened() {
    this.settingsChanged();
    if (!this.node.hidden) this.show();
  }

  private argumentTexts(): string[] {
    return [...this.args.querySelectorAll("input")].map((input) => input.value.trim());
  }

  private request(settings: Settings) {
    const global = sizes(this.global.value);
    if (!global) throw new Error("The global size is one to three numbers: 1048576 or 640,480.");
    const repeat = Number(this.repeat.value);
    if (!(Number.isInteger(repeat) && repeat >= 1 && repeat <= 10000)) throw new Error("The launches are a number from 1 to 10000.");
    // The local size has as many dimensions as the range.
    const local = settings.local && global.map((_, n) => settings.local![n] ?? 1);
    return { settings: { ...settings, local, kernel: this.kernel, cpu: null }, global, args: this.argumentTexts(), repeat };
  }

  private async busy(what: string, work: (signal: AbortSignal) => Promise<void>) {
    this.button.disabled = this.whatIf.disabled = true;
    this.stop.hidden = false;
    this.stopper = new AbortController();
    this.message.className = "message";
    this.message.textContent = what;
    try {
      await work(this.stopper.signal);
      this.message.textContent = "";
    } catch (why) {
      this.message.className = "message wrong";
      this.message.textContent = (why as Error).message;
    }
    this.button.disabled = this.whatIf.disabled = false;
    this.stop.hidden = true;
  }

  /** Runs the kernel with the settings of a side. */
  private async measure(side: number, signal: AbortSignal): Promise<Measured> {
    const all = this.environment.compilations();
    const of = all[side].settings;
    const request = this.request(of);
    const run = await this.environment.run({ ...request, divergence: true }, signal);
    return { name: all.length > 1 ? "AB"[side] : this.kernel, request: JSON.stringify({ ...request, of }), run };
  }

  private async start() {
    await this.busy("running …", async (signal) => {
      this.runs = [];
      this.rows = [];
      const all = this.environment.compilations();
      for (const [side, of] of all.entries()) {
        // Another kernel has other arguments.
        if (of.kernel !== this.kernel) continue;
        const one = await this.measure(side, signal);
        this.runs.push(one);
        if (side === 0) this.environment.ran(one.run);
        this.show();
      }
      if (!this.roofline) {
        this.message.textContent = "measuring the machine, once …";
        this.roofline = await this.environment.roofline();
      }
      this.show();
    });
  }

  private async tryOthers() {
    await this.busy("trying other settings …", async (signal) => {
      const [{ settings, variants }] = this.environment.compilations();
      // They are compared with a run of the same sizes and arguments.
      if (this.runs[0]?.request !== JSON.stringify({ ...this.request(settings), of: settings })) {
        this.runs = [await this.measure(0, signal)];
        this.environment.ran(this.runs[0].run);
      }
      this.rows = [];
      for (const [name, other] of variants) {
        this.message.textContent = `trying ${name} …`;
        try {
          this.rows.push([name, await this.environment.run(this.request(other), signal)]);
        } catch (why) {
          if (signal.aborted) throw why;
          continue; // The kernel does not take this setting.
        }
        this.show();
      }
      this.show();
    });
  }

  private show() {
    const { roofline } = this;
    const all = this.environment.compilations();
    const written = [this.page.run, this.page.other_run].slice(0, all.length);
    const inFile = () => written.flatMap((run, n) => (run ? [{ name: all.length > 1 ? "AB"[n] : this.kernel, run }] : []));
    const runs = this.page.live ? this.runs : inFile();
    if (runs.length === 0) {
      this.summary.textContent = this.page.live ? "Not run with these settings." : "Not run: give -g and --arg when the file is written.";
      for (const node of [this.times, this.roof, this.accesses, this.table]) node.replaceChildren();
      return;
    }
    const named = runs.map(({ name, run }): [string, RunResult] => [name, run]);
    replace(this.summary, named.map(([name, run]) => el("p", { className: "summary", textContent: (named.length > 1 ? `${name}: ` : "") + this.sentence(run) })));
    const width = Math.max(260, Math.min(520, this.node.clientWidth / 2 - 200));
    plotTimes(this.times, named, width, 190);
    if (roofline) plotRoofline(this.roof, roofline, named, width, 190);
    this.showAccesses(runs[0].run, roofline);
    this.showWhatIf(runs[0].run);
  }

  private sentence(run: RunResult): string {
    const items = run.global.reduce((product, n) => product * n, 1);
    const seconds = best(run) / 1e3;
    const rate = (value: number | null, unit: string) => (value ? `, ${number(value / seconds / 1e9)} ${unit}` : "");
    const { machine } = this.environment.compilations()[0];
    return (
      `best ${milliseconds(best(run))}, median ${milliseconds(median(run))} of ${run.times_ms.length}; ` +
      `${number(items / seconds / 1e6)} M work-items/s${rate(run.bytes, "GB/s")}${rate(run.operations, "GFLOP/s")}; ` +
      `${run.width} at once, groups of ${run.local.join(" x ")}${machine.here ? "" : `; run on this computer, not on ${machine.cpu}`}`
    );
  }

  private showAccesses(run: RunResult, roofline: Roofline | null) {
    const [of] = this.environment.compilations();
    const classes = run.bytes ? accessClasses(of, run) : [];
    const memory = roofline?.bandwidths.find(({ level }) => level === "memory");
    if (!run.bytes || !run.operations) {
      const why = run.bytes ? "It computes nothing in floating point: there is no point on the roofline." : "What it moves and computes depends on data, which the compiler cannot count: there is no point on the roofline.";
      replace(this.accesses, [el("p", { textContent: why })]);
      if (!run.bytes) return;
    } else replace(this.accesses, []);
    if (roofline?.is_busy) this.accesses.append(el("p", { className: "busy", textContent: "Other programs ran while the machine was measured: it can do more than these roofs say. They are not kept." }));
    if (!memory || classes.length === 0) return;
    const rows = classes.map((one) => {
      const used = one.moved / best(run) / 1e6;
      const moved = used / one.used;
      return [one.how, one.lines.filter((line) => line > 0).join(", "), `${number(used)} GB/s`, `${number(100 * one.used)} %`, `${number(memory.gbytes * one.used)} GB/s`, `${number((100 * moved) / memory.gbytes)} %`];
    });
    this.accesses.append(table("Accesses, against what memory gives", ["access", "lines", "used", "of each cache line", "memory could give", "of that"], rows));
  }

  private showWhatIf(run: RunResult) {
    if (this.rows.length === 0) return replace(this.table, []);
    const rows = [["as it is", run] as [string, RunResult], ...this.rows].map(([name, one]) => [
      name,
      String(one.width),
      one.local.join(" x "),
      milliseconds(best(one)),
      `${number(best(run) / best(one))} x`,
      one.digests.join() === run.digests.join() ? "same" : "differs",
    ]);
    replace(this.table, [table("What if", ["setting", "width", "local size", "best", "speed", "result"], rows)]);
  }
}

function table(title: string, heads: string[], rows: string[][]): HTMLElement {
  return el("table", {}, [
    el("caption", { textContent: title }),
    el("thead", {}, [el("tr", {}, heads.map((head) => el("th", { textContent: head, scope: "col" })))]),
    el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell) => el("td", { textContent: cell }))))),
  ]);
}
