// Small helpers to make elements and to write numbers.

type Properties<K extends keyof HTMLElementTagNameMap> = Partial<Omit<HTMLElementTagNameMap[K], "style" | "children">>;

export function el<K extends keyof HTMLElementTagNameMap>(name: K, properties: Properties<K> = {}, children: Node[] = []): HTMLElementTagNameMap[K] {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

export function replace(node: HTMLElement, children: Node[]) {
  node.replaceChildren(...children);
}

/** Three digits. */
export function number(value: number): string {
  const size = Math.abs(value);
  return size >= 99.95 ? value.toFixed(0) : size >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

export function milliseconds(ms: number): string {
  return ms >= 1 ? `${number(ms)} ms` : `${number(ms * 1000)} µs`;
}

/** One to three sizes, `640,480`; null for anything else. */
export function sizes(text: string): number[] | null {
  const words = text.split(/[,x ]+/).filter((word) => word);
  const list = words.map((word) => (/^\d+$/.test(word) ? Number(word) : 0));
  return list.length >= 1 && list.length <= 3 && list.every((size) => size > 0 && Number.isSafeInteger(size)) ? list : null;
}
