import type { Difference } from '@muster/common-job-controller';
/** Compares two statuses of a job value by value. Times count by their presence, and conditions only while they are True. */

export interface Comparison {
  /** How many values are equal. */
  readonly same: number;
  readonly differences: readonly Difference[];
}

/** The text of a message is never shown: it may contain a program's output. */
interface Leaf {
  readonly value: string;
  readonly shown: string;
}

export function comparedStatus(theirs: object, ours: object): Comparison {
  return comparedLeaves(leavesOf('status', theirs), leavesOf('status', ours));
}

function comparedLeaves(theirs: ReadonlyMap<string, Leaf>, ours: ReadonlyMap<string, Leaf>): Comparison {
  const fields = [...new Set([...theirs.keys(), ...ours.keys()])];
  const differing = fields.filter((field) => theirs.get(field)?.value !== ours.get(field)?.value);
  return {
    same: fields.length - differing.length,
    differences: differing.map((field) => ({
      field,
      theirs: theirs.get(field)?.shown ?? '',
      ours: ours.get(field)?.shown ?? '',
    })),
  };
}

function leavesOf(path: string, value: unknown): Map<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  const add = (at: string, part: unknown) => {
    if (isAbsent(part)) return;
    const key = at.slice(at.lastIndexOf('.') + 1);
    if (key.endsWith('Time') || at.includes('Times.')) leaves.set(at, { value: 'set', shown: 'set' });
    else if (key === 'message') leaves.set(at, { value: String(part), shown: '(a text)' });
    else if (key === 'conditions' && Array.isArray(part)) {
      for (const { type, status, ...others } of part as readonly Record<string, unknown>[]) {
        if (status !== 'True') continue;
        leaves.set(`${at}[${String(type)}].status`, { value: 'True', shown: 'True' });
        for (const name of ['reason', 'message']) add(`${at}[${String(type)}].${name}`, others[name]);
      }
    } else if (typeof part === 'object' && !Array.isArray(part)) {
      for (const [name, inner] of Object.entries(part as object)) add(`${at}.${name}`, inner);
    } else {
      const text = typeof part === 'string' ? part : JSON.stringify(part);
      leaves.set(at, { value: text, shown: text });
    }
  };
  add(path, value);
  return leaves;
}

/** Go leaves out values that are empty. */
function isAbsent(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === '0' || value === false)
    return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
