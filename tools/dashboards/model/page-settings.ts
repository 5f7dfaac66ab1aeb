/** Settings that the server sends to the page. */
export interface PageSettings {
  readonly scrapeIntervalMs: number;
  /** Unix time of the first data in milliseconds; undefined if not known. */
  readonly sinceMs?: number;
  readonly dashboards: readonly {
    readonly uid: string;
    readonly title: string;
    readonly description: string;
    readonly tags: readonly string[];
  }[];
}
