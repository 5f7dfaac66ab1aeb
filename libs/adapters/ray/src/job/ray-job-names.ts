/** The names of what a RayJob makes. */
import { createHash } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

interface Try {
  readonly name: string;
  readonly uid: string;
  /** Which start of the job it is. */
  readonly attempt: number;
}

/**
 * Of the RayCluster of one try: `<rayjob>-<5 characters>`, as KubeRay's, but not by lot: a second create answers AlreadyExists.
 * Tries of one job, and jobs of one name that follow each other, differ.
 */
export function rayClusterName({ name, uid, attempt }: Try): string {
  return `${name}-${hashOf(`${uid}/${attempt}`)}`;
}

function hashOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest();
  return [...bytes.subarray(0, 5)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** Of the submitter, a Job. */
export function submitterName({ name }: { readonly name: string }): string {
  return name;
}
