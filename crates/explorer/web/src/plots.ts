// The plots of a run: its times, and its place under the machine's roofline.

import uPlot from "uplot";
import type { Roofline, RunResult } from "./model";

/** A colour of the page as the canvas takes it, which knows no variables. */
function colour(name: string): string {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = `var(${name})`;
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

const axis = (label: string): uPlot.Axis => ({
  label,
  stroke: colour("--text"),
  grid: { stroke: colour("--line"), width: 1 },
  ticks: { stroke: colour("--line"), width: 1 },
  font: "11px system-ui",
  labelFont: "11px system-ui",
  labelSize: 18,
  size: 44,
});

/** The colours of the runs of one plot. */
const strokes = ["--accent", "--warn"];

export function plotTimes(into: HTMLElement, runs: [string, RunResult][], width: number, height: number) {
  into.replaceChildren();
  const x = Array.from({ length: Math.max(...runs.map(([, run]) => run.times_ms.length)) }, (_, n) => n + 1);
  const best = Math.min(...runs[0][1].times_ms);
  return new uPlot(
    {
      width,
      height,
      cursor: { drag: { x: false, y: false } },
      legend: { show: false },
      scales: { x: { time: false }, y: { range: (_, __, max) => [0, max * 1.1] } },
      axes: [axis("launch"), axis("ms")],
      series: [
        {},
        ...runs.map(([label], n) => ({ label, stroke: colour(strokes[n]), width: 1, points: { show: true, size: 4 } })),
        { stroke: colour("--good"), width: 1, dash: [4, 4], points: { show: false } },
      ],
    },
    [x, ...runs.map(([, run]) => x.map((_, n) => run.times_ms[n] ?? null)), x.map(() => best)] as uPlot.AlignedData,
    into,
  );
}

/** Where a kernel is under the roofline: operations a byte, and 10^9 operations a second. */
export function point(run: RunResult): { x: number; y: number } | null {
  if (!run.bytes || !run.operations) return null;
  const best = Math.min(...run.times_ms);
  return { x: run.operations / run.bytes, y: run.operations / best / 1e6 };
}

const decades = (from: number, to: number) => {
  const list: number[] = [];
  for (let x = from; x <= to * 1.0001; x *= 1.25) list.push(x);
  return list;
};

export function plotRoofline(into: HTMLElement, roofline: Roofline, runs: [string, RunResult][], width: number, height: number) {
  into.replaceChildren();
  const points = runs.map(([name, run]) => ({ name, at: point(run) })).filter((one) => one.at !== null);
  const intensities = points.map((one) => one.at!.x);
  const low = Math.min(1 / 16, ...intensities) / 2;
  const high = Math.max(64, ...intensities) * 2;
  // The points stand among the samples, so that they are exactly where they belong.
  const x = [...decades(low, high), ...intensities].sort((a, b) => a - b);
  const roofs = roofline.bandwidths.map(({ gbytes }) => x.map((at) => Math.min(roofline.gflops, gbytes * at)));
  const marks = points.map((one) => x.map((at) => (at === one.at!.x ? one.at!.y : null)));
  const dashes = [[], [6, 3], [3, 3], [1, 3]];
  const { gflops_double } = roofline;
  // The roof of doubles is lower, from where the fastest memory is no longer what bounds them.
  const fastest = Math.max(...roofline.bandwidths.map(({ gbytes }) => gbytes));
  const doubles = x.map((at) => (fastest * at >= gflops_double ? gflops_double : null));
  const values = [...roofs.flat(), ...points.map((one) => one.at!.y)];
  // A whole power of ten, so that the axis begins with a number that one can read.
  const bottom = 10 ** Math.floor(Math.log10(Math.min(...values)));
  // Each roof has its name, one beside the other where they are close.
  const name = (plot: uPlot) => {
    const { ctx } = plot;
    ctx.save();
    ctx.font = `${10 * devicePixelRatio}px system-ui`;
    ctx.fillStyle = colour("--text");
    roofline.bandwidths.forEach(({ level, gbytes }, n) => {
      const at = low * 1.3 * 2.2 ** n;
      const [left, top] = [plot.valToPos(at, "x", true), plot.valToPos(Math.min(roofline.gflops, gbytes * at), "y", true)];
      ctx.fillText(level, left, top - 3 * devicePixelRatio);
    });
    ctx.restore();
  };
  return new uPlot(
    {
      width,
      height,
      cursor: { drag: { x: false, y: false } },
      legend: { show: true, live: false },
      hooks: { draw: [name] },
      scales: {
        x: { time: false, distr: 3, range: [low, high] },
        y: { distr: 3, range: [bottom, roofline.gflops * 2] },
      },
      axes: [axis("operations a byte"), axis("GFLOP/s")],
      series: [
        {},
        ...roofline.bandwidths.map(({ level, gbytes }, n) => ({
          label: `${level} ${gbytes.toFixed(0)} GB/s`,
          stroke: colour("--muted"),
          width: 1.5,
          dash: dashes[(roofline.bandwidths.length - 1 - n) % dashes.length],
          points: { show: false },
        })),
        { label: `double ${gflops_double.toFixed(0)} GFLOP/s`, stroke: colour("--loop"), width: 1, dash: [2, 4], points: { show: false } },
        ...points.map((one, n) => ({
          label: one.name,
          stroke: colour(strokes[n]),
          paths: () => null,
          points: { show: true, size: 10, fill: colour(strokes[n]) },
        })),
      ],
    },
    [x, ...roofs, doubles, ...marks] as uPlot.AlignedData,
    into,
  );
}
