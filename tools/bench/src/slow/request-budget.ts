/** So many requests a second, as a bucket that holds those of one second, and a count of what came. */
export class RequestBudget {
  #perSecond: number;
  #left: number;
  #atMs = 0;
  #requests = 0;
  #refused = 0;
  readonly #bySecond = new Map<number, number>();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
  }

  setLimit(perSecond: number): void {
    this.#perSecond = perSecond;
    this.#left = Math.min(this.#left, perSecond);
  }

  /** Whether the request is taken. */
  take(nowMs: number): boolean {
    const since = this.#atMs === 0 ? 0 : nowMs - this.#atMs;
    this.#atMs = nowMs;
    this.#left = Math.min(this.#perSecond, this.#left + (since / 1000) * this.#perSecond);
    const second = Math.floor(nowMs / 1000);
    this.#bySecond.set(second, (this.#bySecond.get(second) ?? 0) + 1);
    this.#requests++;
    if (this.#left < 1) {
      this.#refused++;
      return false;
    }
    this.#left--;
    return true;
  }

  /** Since the last call. */
  counts(): { requests: number; refused: number; mostInASecond: number } {
    const mostInASecond = Math.max(0, ...this.#bySecond.values());
    const counts = { requests: this.#requests, refused: this.#refused, mostInASecond };
    this.#requests = 0;
    this.#refused = 0;
    this.#bySecond.clear();
    return counts;
  }
}
