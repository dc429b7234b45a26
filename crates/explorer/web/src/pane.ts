// One text of the page: the source, a stage or the assembly. Lines that belong to the same line of the source light up
// in all panes.

import { defaultKeymap } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { syntaxHighlighting, type LanguageSupport, type StreamLanguage } from "@codemirror/language";
import { search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, RangeSetBuilder, StateEffect, StateField, type Extension } from "@codemirror/state";
import {
  Decoration, EditorView, GutterMarker, WidgetType, drawSelection, gutter, keymap, lineNumbers, type DecorationSet,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { assemblyLanguage, irLanguage } from "./languages";

export type Language = "opencl" | "ir" | "assembly";

/** What stands at a line: classes of the line, a text in the gutter, blocks before or below it. */
export interface LineNote {
  classes?: string[];
  gutter?: string;
  gutterTitle?: string;
  before?: Block[];
  after?: Block[];
}

export interface Block {
  text: string;
  kind: string;
}

/** A text with the line of the source for each of its lines, and notes by the number of their line, from 1. */
export interface PaneText {
  text: string;
  language: Language;
  lines: number[] | null;
  notes: Map<number, LineNote>;
  /** The line that is shown first. */
  start?: number;
}

const setLit = StateEffect.define<number[]>();
const lit = Decoration.line({ class: "lit" });

const litField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, transaction) {
    set = set.map(transaction.changes);
    for (const effect of transaction.effects)
      if (effect.is(setLit)) {
        const builder = new RangeSetBuilder<Decoration>();
        const doc = transaction.state.doc;
        for (const line of effect.value) if (line <= doc.lines) builder.add(doc.line(line).from, doc.line(line).from, lit);
        set = builder.finish();
      }
    return set;
  },
  provide: (field) => EditorView.decorations.from(field),
});

class BlockWidget extends WidgetType {
  constructor(readonly blocks: Block[]) {
    super();
  }
  eq(other: BlockWidget) {
    return JSON.stringify(other.blocks) === JSON.stringify(this.blocks);
  }
  toDOM() {
    const all = document.createElement("div");
    for (const block of this.blocks) {
      const div = all.appendChild(document.createElement("div"));
      div.className = `note note-${block.kind}`;
      div.textContent = block.text;
    }
    return all;
  }
  get estimatedHeight() {
    return 18 * this.blocks.reduce((sum, block) => sum + block.text.split("\n").length, 0);
  }
}

class TextMarker extends GutterMarker {
  constructor(readonly text: string, readonly title: string) {
    super();
  }
  eq(other: TextMarker) {
    return other.text === this.text && other.title === this.title;
  }
  toDOM() {
    const span = document.createElement("span");
    span.textContent = this.text;
    span.title = this.title;
    return span;
  }
}

function notes(doc: EditorState["doc"], of: PaneText): Extension {
  const builder = new RangeSetBuilder<Decoration>();
  const markers = new RangeSetBuilder<GutterMarker>();
  let hasMarkers = false;
  for (const number of [...of.notes.keys()].sort((a, b) => a - b)) {
    if (number < 1 || number > doc.lines) continue;
    const note = of.notes.get(number)!;
    const line = doc.line(number);
    const widget = (blocks: Block[], side: number) => Decoration.widget({ widget: new BlockWidget(blocks), side, block: true });
    if (note.before?.length) builder.add(line.from, line.from, widget(note.before, -1));
    if (note.classes?.length) builder.add(line.from, line.from, Decoration.line({ class: note.classes.join(" ") }));
    if (note.after?.length) builder.add(line.to, line.to, widget(note.after, 1));
    if (note.gutter) {
      hasMarkers = true;
      markers.add(line.from, line.from, new TextMarker(note.gutter, note.gutterTitle ?? ""));
    }
  }
  const set = markers.finish();
  const list: Extension[] = [EditorView.decorations.of(builder.finish())];
  if (hasMarkers) list.push(gutter({ class: "cost", markers: () => set }));
  return list;
}

const languages: Record<Language, () => LanguageSupport | StreamLanguage<unknown>> = {
  opencl: cpp,
  ir: () => irLanguage,
  assembly: () => assemblyLanguage,
};

export class Pane {
  readonly view: EditorView;
  private shown: PaneText = { text: "", language: "opencl", lines: null, notes: new Map() };
  private readonly content = new Compartment();
  /** The lines of this text for each line of the source. */
  private own = new Map<number, number[]>();
  private pointed = -1;
  private quiet = false;

  /** `onPoint` is called with the line of the source that is pointed at, and whether by a click or the cursor. */
  constructor(parent: HTMLElement, label: string, hasSearch: boolean, private readonly onPoint: (line: number, firm: boolean, from: Pane) => void) {
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ "aria-label": label, "aria-readonly": "true", spellcheck: "false" }),
          lineNumbers(),
          drawSelection(),
          litField,
          keymap.of(hasSearch ? [...searchKeymap, ...defaultKeymap] : defaultKeymap),
          hasSearch ? search({ top: true }) : [],
          syntaxHighlighting(classHighlighter),
          this.content.of([]),
          EditorView.domEventHandlers({
            mousemove: (event, view) => this.point(view.posAtCoords({ x: event.clientX, y: event.clientY }), false),
            mouseleave: () => this.leave(),
          }),
          EditorView.updateListener.of((update) => {
            if (update.selectionSet && !update.docChanged && !this.quiet) this.point(update.state.selection.main.head, true);
          }),
        ],
      }),
    });
  }

  show(text: PaneText) {
    const keep = text.text === this.shown.text;
    const top = this.view.scrollDOM.scrollTop;
    this.shown = text;
    this.own = new Map();
    text.lines?.forEach((line, n) => {
      if (line === 0) return;
      const known = this.own.get(line);
      if (known) known.push(n + 1);
      else this.own.set(line, [n + 1]);
    });
    this.quiet = true;
    const plain = text.text.endsWith("\n") ? text.text.slice(0, -1) : text.text;
    if (!keep) {
      this.view.dispatch({
        changes: { from: 0, to: this.view.state.doc.length, insert: plain },
        selection: { anchor: 0 },
        effects: [setLit.of([]), this.content.reconfigure([])],
      });
    }
    const { doc } = this.view.state;
    const wrap = text.language === "opencl" ? EditorView.lineWrapping : [];
    this.view.dispatch({ effects: this.content.reconfigure([languages[text.language](), notes(doc, text), wrap]) });
    if (keep) this.view.scrollDOM.scrollTop = top;
    else {
      const at = doc.line(Math.max(1, Math.min(text.start ?? 1, doc.lines))).from;
      this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "start", yMargin: 40 }) });
    }
    this.quiet = false;
    this.pointed = -1;
  }

  /** Lights up what belongs to a line of the source. */
  light(line: number, scroll: boolean) {
    const lines = line > 0 ? (this.shown.lines ? (this.own.get(line) ?? []) : [line]) : [];
    const effects: StateEffect<unknown>[] = [setLit.of(lines)];
    if (scroll && lines.length && lines[0] <= this.view.state.doc.lines)
      effects.push(EditorView.scrollIntoView(this.view.state.doc.line(lines[0]).from, { y: "center" }));
    this.view.dispatch({ effects });
  }

  /** Moves to a line of this text. */
  goTo(line: number) {
    const at = this.view.state.doc.line(Math.max(1, Math.min(line, this.view.state.doc.lines))).from;
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    this.view.focus();
  }

  private point(position: number | null, firm: boolean) {
    if (position === null) return;
    const number = this.view.state.doc.lineAt(position).number;
    if (number === this.pointed && !firm) return;
    this.pointed = number;
    this.onPoint(this.shown.lines ? (this.shown.lines[number - 1] ?? 0) : number, firm, this);
  }

  private leave() {
    this.pointed = -1;
  }
}
