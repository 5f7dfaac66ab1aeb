/**
 * A PromQL expression of an instant vector, with the labels of its series. Expressions are built only from declared metrics
 * (`metric-query.ts`); a label that the series do not have does not compile.
 */

/** A number, or a placeholder for one. */
export type Bound = number | `%{${string}}`;

export class Vector<Label extends string> {
  readonly promql: string;
  readonly labels: readonly Label[];
  /** Needs parentheses inside another expression. */
  readonly #isCompound: boolean;

  constructor(promql: string, labels: readonly Label[], isCompound = false) {
    this.promql = promql;
    this.labels = labels;
    this.#isCompound = isCompound;
  }

  sumBy<By extends Label>(...by: readonly By[]): Vector<By> {
    return this.#aggregated('sum', by);
  }

  maxBy<By extends Label>(...by: readonly By[]): Vector<By> {
    return this.#aggregated('max', by);
  }

  countBy<By extends Label>(...by: readonly By[]): Vector<By> {
    return this.#aggregated('count', by);
  }

  /** Quotient of series with the same labels. */
  per(other: Vector<Label>): Vector<Label> {
    return this.#combined('/', other);
  }

  plus(other: Vector<Label>): Vector<Label> {
    return this.#combined('+', other);
  }

  /** Adds to each series the one series of the other vector with the same values of `on`. */
  plusOf<On extends Label>(on: readonly On[], other: Vector<On>): Vector<Label> {
    return this.#combined(`+ on (${on.join(', ')}) group_left ()`, other);
  }

  minus(other: Vector<Label>): Vector<Label> {
    return this.#combined('-', other);
  }

  /** For seconds. */
  inHours(): Vector<Label> {
    return this.#calculated('/ 3600');
  }

  above(bound: Bound): Vector<Label> {
    return this.#calculated(`> ${bound}`);
  }

  below(bound: Bound): Vector<Label> {
    return this.#calculated(`< ${bound}`);
  }

  is(bound: Bound): Vector<Label> {
    return this.#calculated(`== ${bound}`);
  }

  atLeast(bound: Bound): Vector<Label> {
    return this.#calculated(`>= ${bound}`);
  }

  /** Series below the series of the other vector with the same labels. */
  belowThat(other: Vector<Label>): Vector<Label> {
    return this.#combined('<', other);
  }

  /** Series for which the other vector has a series with the same labels. */
  and(other: Vector<Label>): Vector<Label> {
    return this.#combined('and', other);
  }

  /** Series for which the other vector has a series with the same values of `on`. */
  andOf<On extends Label>(on: readonly On[], other: Vector<On>): Vector<Label> {
    return this.#combined(`and on (${on.join(', ')})`, other);
  }

  /** Series for which the other vector has no series with the same labels. */
  unless(other: Vector<Label>): Vector<Label> {
    return this.#combined('unless', other);
  }

  /**
   * Adds labels of the other vector. Its series must have the value 1, and must be unique for the common labels.
   */
  withLabelsOf<More extends string>(other: Vector<Label | More>): Vector<Label | More> {
    const on = this.labels.join(', ');
    const more = other.labels.filter((label) => !(this.labels as readonly string[]).includes(label));
    const promql = `${this.asOperand()} * on (${on}) group_left (${more.join(', ')}) ${other.asOperand()}`;
    return new Vector<Label | More>(promql, other.labels, true);
  }

  /** Sorts an instant query by value, descending. */
  sorted(): Vector<Label> {
    return new Vector(`sort_desc(${this.promql})`, this.labels);
  }

  /** Series of both vectors. With the same labels, the series of this one. */
  or(other: Vector<Label>): Vector<Label> {
    return this.#combined('or', other);
  }

  #aggregated<By extends Label>(how: string, by: readonly By[]): Vector<By> {
    const labels = by.length === 0 ? '' : ` by (${by.join(', ')})`;
    return new Vector(`${how}${labels} (${this.promql})`, by);
  }

  #combined(operator: string, other: { asOperand(): string }): Vector<Label> {
    return new Vector(`${this.asOperand()} ${operator} ${other.asOperand()}`, this.labels, true);
  }

  #calculated(rest: string): Vector<Label> {
    return new Vector(`${this.asOperand()} ${rest}`, this.labels, true);
  }

  asOperand(): string {
    return this.#isCompound ? `(${this.promql})` : this.promql;
  }
}
