/** What the page is told when it starts. */
export interface PageSettings {
  readonly scrapeIntervalMs: number;
  readonly dashboards: readonly {
    readonly uid: string;
    readonly title: string;
    readonly description: string;
    readonly tags: readonly string[];
  }[];
}
