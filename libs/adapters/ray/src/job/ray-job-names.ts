import { createHash } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

interface Try {
  readonly name: string;
  readonly uid: string;
  /** Number of the attempt. */
  readonly attempt: number;
}

/** Like KubeRay's `<rayjob>-<5 characters>`, but deterministic and different for each attempt and UID. */
export function rayClusterName({ name, uid, attempt }: Try): string {
  return `${name}-${hashOf(`${uid}/${attempt}`)}`;
}

function hashOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest();
  return [...bytes.subarray(0, 5)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

export function submitterName({ name }: { readonly name: string }): string {
  return name;
}
