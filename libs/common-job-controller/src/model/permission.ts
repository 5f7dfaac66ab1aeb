/** What an operator has to be allowed to do. */
export interface Permission {
  readonly group: string;
  /** Plural, with the subresource behind a slash where there is one. */
  readonly resource: string;
  readonly verbs: readonly string[];
}
