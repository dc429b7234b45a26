// Runs of the kernel: the times as a plot, the place under the roofline, the accesses against what memory could give, and
// the table of "what if".

import { el, number, replace } from "./dom";
import type { Compilation, Page, Roofline, RunResult, Settings } from "./model";
import { plotRoofline, plotTimes } from "./plots";

interface Environment {
  compilation: () => Compilation;
  settings: () => Settings;
  run: (body: unknown) => Promise<RunResult>;
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
    const match = remark.kind === "memory" ? /^(.+) of (\w+?)(\d*): (.*)$/.exec(remark.text) : null;
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

export class RunPanel {
  readonly node: HTMLElement;
  private readonly form = el("form", { className: "run-form" });
  private readonly global = el("input", { id: "global", size: 12, required: true });
  private readonly repeat = el("input", { id: "repeat", type: "number", min: "1", max: "10000" });
  private readonly args = el("div", { className: "args" });
  private readonly button = el("button", { id: "run", textContent: "Run" });
  private readonly whatIf = el("button", { id: "what-if", type: "button", textContent: "What if …" });
  private readonly message = el("p", { className: "message", role: "status", id: "run-message" });
  private readonly summary = el("p", { className: "summary", id: "summary" });
  private readonly times = el("div", { id: "times" });
  private readonly roof = el("div", { id: "roofline" });
  private readonly accesses = el("div", { id: "accesses" });
  private readonly table = el("div", { id: "what-if-table" });
  private run: RunResult | null;
  private rows: [string, RunResult][];
  private roofline: Roofline | null;
  private kernel = "";

  constructor(private readonly page: Page, private readonly environment: Environment) {
    this.run = page.run;
    this.rows = page.what_if;
    this.roofline = page.roofline;
    this.global.value = page.global.join(",") || "1048576";
    this.repeat.value = String(page.repeat || 20);
    this.form.append(
      el("label", {}, [el("span", { textContent: "Global size" }), this.global]),
      el("label", {}, [el("span", { textContent: "Launches" }), this.repeat]),
      this.args,
      el("div", { className: "buttons" }, [this.button, this.whatIf]),
      this.message,
    );
    this.form.hidden = !page.live;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.start();
    });
    this.whatIf.addEventListener("click", () => void this.tryOthers());
    this.node = el("div", { className: "run-panel" }, [
      this.form,
      el("div", { className: "plots" }, [
        el("figure", {}, [this.times, el("figcaption", {}, [this.summary])]),
        el("figure", {}, [this.roof]),
      ]),
      el("div", { className: "tables" }, [this.accesses, this.table]),
    ]);
  }

  /** Another kernel has other arguments. */
  settingsChanged() {
    const of = this.environment.compilation();
    if (of.kernel === this.kernel) return;
    const isFirst = this.kernel === "";
    this.kernel = of.kernel;
    replace(this.args, of.params.map((param, n) => {
      const input = el("input", { name: `arg-${n}`, id: `arg-${n}`, value: (isFirst && this.page.args[n]) || param.example, size: 14 });
      return el("label", { title: param.type_name }, [el("span", { textContent: `${param.type_name} ${param.name}` }), input]);
    }));
  }

  /** The panel can be seen, or its colours have changed. */
  opened() {
    this.settingsChanged();
    if (!this.node.hidden) this.show();
  }

  private request(settings: Settings) {
    const sizes = this.global.value.split(/[,x ]+/).filter((word) => word).map(Number);
    const args = [...this.args.querySelectorAll("input")].map((input) => input.value.trim());
    // The local size has as many dimensions as the range.
    const local = settings.local && sizes.map((_, n) => settings.local![n] ?? 1);
    return { settings: { ...settings, local, kernel: this.kernel, cpu: null }, global: sizes, args, repeat: Number(this.repeat.value) || 1 };
  }

  private async busy(what: string, work: () => Promise<void>) {
    this.button.disabled = this.whatIf.disabled = true;
    this.message.className = "message";
    this.message.textContent = what;
    try {
      await work();
      this.message.textContent = "";
    } catch (why) {
      this.message.className = "message wrong";
      this.message.textContent = (why as Error).message;
    }
    this.button.disabled = this.whatIf.disabled = false;
  }

  private async start() {
    await this.busy("running …", async () => {
      this.run = await this.environment.run({ ...this.request(this.environment.settings()), divergence: true });
      this.environment.ran(this.run);
      this.rows = [];
      this.show();
      if (!this.roofline) {
        this.message.textContent = "measuring the machine, once …";
        this.roofline = await this.environment.roofline();
      }
      this.show();
    });
  }

  private async tryOthers() {
    await this.busy("trying other settings …", async () => {
      const settings = this.environment.settings();
      this.run ??= await this.environment.run(this.request(settings));
      this.rows = [];
      for (const [name, other] of this.environment.compilation().variants) {
        this.message.textContent = `trying ${name} …`;
        try {
          this.rows.push([name, await this.environment.run(this.request(other))]);
        } catch {
          continue; // The kernel does not take this setting.
        }
        this.show();
      }
      this.show();
    });
  }

  private show() {
    const { run, roofline } = this;
    if (!run) {
      this.summary.textContent = this.page.live ? "Not run yet." : "Not run: give -g and --arg when the file is written.";
      return;
    }
    const items = run.global.reduce((product, n) => product * n, 1);
    const seconds = best(run) / 1e3;
    const rate = (value: number | null, unit: string) => (value ? `, ${number(value / seconds / 1e9)} ${unit}` : "");
    this.summary.textContent =
      `best ${number(best(run))} ms, median ${number(median(run))} ms of ${run.times_ms.length}; ` +
      `${number(items / seconds / 1e6)} M work-items/s${rate(run.bytes, "GB/s")}${rate(run.operations, "GFLOP/s")}; ` +
      `${run.width} at once, groups of ${run.local.join(" x ")}`;
    const width = Math.max(260, Math.min(520, this.node.clientWidth / 2 - 200));
    plotTimes(this.times, run, width, 190);
    if (roofline) plotRoofline(this.roof, roofline, [[this.kernel, run]], width, 190);
    this.showAccesses(run, roofline);
    this.showWhatIf(run);
  }

  private showAccesses(run: RunResult, roofline: Roofline | null) {
    const of = this.environment.compilation();
    const classes = run.bytes ? accessClasses(of, run) : [];
    const memory = roofline?.bandwidths.find(({ level }) => level === "memory");
    if (!run.bytes || !run.operations) {
      const why = run.bytes ? "It computes nothing in floating point: there is no point on the roofline." : "What it moves and computes depends on data, which the compiler cannot count: there is no point on the roofline.";
      replace(this.accesses, [el("p", { textContent: why })]);
      if (!run.bytes) return;
    } else replace(this.accesses, []);
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
      `${number(best(one))} ms`,
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
