/** What a kind says about an object in `muster why`. */
export interface KindExplanation {
  /** The text after the object's name. */
  readonly headline: string;
  readonly details: readonly string[];
  /** As in `Explanation.next`. */
  readonly next: readonly string[];
}
