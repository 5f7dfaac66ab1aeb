/**
 * A PromQL expression that gives an instant vector, together with the labels that its series have. Only expressions made of
 * declared metrics can be written (`metric-query.ts`), and a label that a series does not have does not compile.
 */

/** What a vector is compared with: a number, or a placeholder that is one when the expression is used. */
export type Bound = number | `%{${string}}`;

export class Vector<Label extends string> {
  readonly promql: string;
  readonly labels: readonly Label[];
  /** Whether it has to stand in parentheses as part of another expression. */
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

  /** Its quotient with another vector, series by series of the same labels. */
  per(other: Vector<Label>): Vector<Label> {
    return this.#combined('/', other);
  }

  plus(other: Vector<Label>): Vector<Label> {
    return this.#combined('+', other);
  }

  /** Its sum with the one series of the other vector that has the same values of `on`, which several of its series may share. */
  plusOf<On extends Label>(on: readonly On[], other: Vector<On>): Vector<Label> {
    return this.#combined(`+ on (${on.join(', ')}) group_left ()`, other);
  }

  minus(other: Vector<Label>): Vector<Label> {
    return this.#combined('-', other);
  }

  times(factor: number): Vector<Label> {
    return this.#calculated(`* ${factor}`);
  }

  /** The series above the bound. */
  above(bound: Bound): Vector<Label> {
    return this.#calculated(`> ${bound}`);
  }

  is(bound: Bound): Vector<Label> {
    return this.#calculated(`== ${bound}`);
  }

  atLeast(bound: Bound): Vector<Label> {
    return this.#calculated(`>= ${bound}`);
  }

  /** The series that are below those of the other vector with the same labels. */
  belowThat(other: Vector<Label>): Vector<Label> {
    return this.#combined('<', other);
  }

  /** The series for which the other vector has one of the same labels. */
  and(other: Vector<Label>): Vector<Label> {
    return this.#combined('and', other);
  }

  /** The series for which the other vector has one with the same values of `on`. */
  andOf<On extends Label>(on: readonly On[], other: Vector<On>): Vector<Label> {
    return this.#combined(`and on (${on.join(', ')})`, other);
  }

  /** The series for which the other vector has none of the same labels. */
  unless(other: Vector<Label>): Vector<Label> {
    return this.#combined('unless', other);
  }

  /**
   * Its series, each with more labels of the series that the other vector has for it. That one's value is 1, and it has a single series for the
   * labels that both have.
   */
  withLabelsOf<More extends string>(other: Vector<Label | More>): Vector<Label | More> {
    const on = this.labels.join(', ');
    const more = other.labels.filter((label) => !(this.labels as readonly string[]).includes(label));
    const promql = `${this.asOperand()} * on (${on}) group_left (${more.join(', ')}) ${other.asOperand()}`;
    return new Vector<Label | More>(promql, other.labels, true);
  }

  /** The greatest value first, in the answer to an instant query. */
  sorted(): Vector<Label> {
    return new Vector(`sort_desc(${this.promql})`, this.labels);
  }

  /** Its series, and those of the other vector that have other labels. */
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

  /** As it stands in another expression. */
  asOperand(): string {
    return this.#isCompound ? `(${this.promql})` : this.promql;
  }
}
