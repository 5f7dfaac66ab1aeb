/** A binary heap of keys by deadline. A deadline is changed in place, so each key has one entry at most. */
interface Entry {
  readonly key: string;
  dueMs: number;
  index: number;
}

export class DeadlineHeap {
  #entries: Entry[] = [];
  #byKey = new Map<string, Entry>();

  get size(): number {
    return this.#entries.length;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  get nextDueMs(): number | undefined {
    return this.#entries[0]?.dueMs;
  }

  /** Keeps an earlier deadline of the key. */
  addNoLater(key: string, dueMs: number): void {
    const known = this.#byKey.get(key);
    if (known === undefined) {
      const entry = { key, dueMs, index: this.#entries.length };
      this.#entries.push(entry);
      this.#byKey.set(key, entry);
      this.#raise(entry);
    } else if (dueMs < known.dueMs) {
      known.dueMs = dueMs;
      this.#raise(known);
    }
  }

  takeDue(nowMs: number): string | undefined {
    const first = this.#entries[0];
    if (first === undefined || first.dueMs > nowMs) return undefined;
    this.remove(first.key);
    return first.key;
  }

  /** Does nothing if the key has no deadline. */
  remove(key: string): void {
    const entry = this.#byKey.get(key);
    const last = entry && this.#entries.pop();
    if (entry === undefined || last === undefined) return;
    this.#byKey.delete(key);
    if (last === entry) return;
    this.#place(last, entry.index);
    this.#raise(last);
    this.#sink(last);
  }

  clear(): void {
    this.#entries = [];
    this.#byKey.clear();
  }

  #place(entry: Entry, index: number): void {
    this.#entries[index] = entry;
    entry.index = index;
  }

  #raise(entry: Entry): void {
    while (entry.index > 0) {
      const index = entry.index;
      const parent = this.#entries[(index - 1) >> 1];
      if (parent === undefined || parent.dueMs <= entry.dueMs) return;
      this.#place(entry, parent.index);
      this.#place(parent, index);
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const index = entry.index;
      const left = this.#entries[2 * index + 1];
      const right = this.#entries[2 * index + 2];
      const child = right !== undefined && left !== undefined && right.dueMs < left.dueMs ? right : left;
      if (child === undefined || child.dueMs >= entry.dueMs) return;
      this.#place(entry, child.index);
      this.#place(child, index);
    }
  }
}
