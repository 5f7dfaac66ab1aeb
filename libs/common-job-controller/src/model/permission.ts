export interface Permission {
  readonly group: string;
  /** Plural, with `/<subresource>` if there is one. */
  readonly resource: string;
  readonly verbs: readonly string[];
}
