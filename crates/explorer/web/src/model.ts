// What the program tells the page: the types of crates/explorer/src/model.rs, roofline.rs and lib.rs.

export type Wfv = "auto" | "always" | "never";

export interface Settings {
  kernel: string | null;
  lanes: number | null;
  wfv: Wfv | null;
  local: number[] | null;
  fast_math: boolean;
  cpu: string | null;
}

export interface Remark {
  line: number;
  column: number;
  kind: string;
  text: string;
  is_local: boolean;
}

export interface Change {
  old: number;
  removed: number;
  new: number;
  added: number;
}

export interface Stage {
  name: string;
  group: string;
  pass: string;
  ms: number | null;
  text: string;
  text_of: number;
  lines: number[];
  changes: Change[];
}

export interface LoopCost {
  cycles: number;
  busy: number;
  chain: number;
  micro_ops: number;
  bound: string;
  is_latency: boolean;
  by: number[];
}

export interface Loop {
  parts: [number, number][];
  depth: number;
  line: number;
  cost: LoopCost | null;
}

export interface Cost {
  line: number;
  micro_ops: number;
  latency: number;
  throughput: number;
}

export interface Assembly {
  text: string;
  lines: number[];
  costs: Cost[];
  loops: Loop[];
  note: string;
}

export interface Advice {
  line: number;
  text: string;
  figure: string;
}

export interface Compilation {
  settings: Settings;
  file: string;
  kernel: string;
  kernels: string[];
  params: { name: string; type_name: string; example: string }[];
  machine: { triple: string; cpu: string; here: boolean; cpus: string[]; vector_bits: number };
  width: number;
  local: number[];
  source: { text: string; language: "opencl" | "ir" | "spirv"; note: string };
  remarks: Remark[];
  stages: Stage[];
  assembly: Assembly;
  advice: Advice[];
  variants: [string, Settings][];
  ms: number;
  log: string;
}

export interface RunResult {
  global: number[];
  local: number[];
  width: number;
  threads: number;
  ready_ms: number;
  times_ms: number[];
  bytes: number | null;
  operations: number | null;
  bytes_by_line: [number, number][];
  digests: string[];
  branches: { line: number; diverging: number; groups: number }[];
}

export interface Roofline {
  cpu: string;
  threads: number;
  gflops: number;
  gflops_double: number;
  /** Others used the machine while it was measured. */
  is_busy: boolean;
  bandwidths: { level: string; gbytes: number }[];
}

export interface Page {
  live: boolean;
  compilation: Compilation;
  other: Compilation | null;
  global: number[];
  args: string[];
  /** The kernel that they are for. */
  args_of: string;
  repeat: number;
  run: RunResult | null;
  other_run: RunResult | null;
  what_if: [string, RunResult][];
  roofline: Roofline | null;
}

/** The texts of a written file stand in elements of their own, where a search in the browser finds them. */
export function withTexts(of: Compilation, index: number): Compilation {
  const take = (id: string, own: string) => own || document.getElementById(id)?.textContent || "";
  of.source.text = take(`source-${index}`, of.source.text);
  of.stages.forEach((stage, n) => (stage.text = take(`stage-${index}-${n}`, stage.text)));
  of.assembly.text = take(`assembly-${index}`, of.assembly.text);
  return of;
}

/** The stage that has the text and the lines of a stage which changed nothing. */
export const textStage = (of: Compilation, n: number): Stage => of.stages[of.stages[n].text_of];
