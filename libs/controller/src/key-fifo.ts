/** A queue in constant time: an array's `shift` moves all remaining elements. */
const COMPACT_FROM = 1024;

export class KeyFifo {
  #keys: string[] = [];
  #head = 0;

  put(key: string): void {
    this.#keys.push(key);
  }

  take(): string | undefined {
    const key = this.#keys[this.#head];
    if (key === undefined) return undefined;
    this.#head += 1;
    if (this.#head >= COMPACT_FROM && this.#head * 2 >= this.#keys.length) {
      this.#keys = this.#keys.slice(this.#head);
      this.#head = 0;
    }
    return key;
  }
}
