/** What the page is told when it starts. */
export interface PageSettings {
  readonly scrapeIntervalMs: number;
  /** Since when there is data, in milliseconds since 1970; undefined where that is not known. */
  readonly sinceMs?: number;
  readonly dashboards: readonly {
    readonly uid: string;
    readonly title: string;
    readonly description: string;
    readonly tags: readonly string[];
  }[];
}
