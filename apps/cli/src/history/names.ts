/** Names in sentences: `pod a`, `pods a, b`, `12 pods (a, b, c … l)`. */

const MOST = 4;

const BY_NUMBER = new Intl.Collator('en', { numeric: true });

export function namesOf(one: string, several: string, names: readonly string[]): string {
  const sorted = names.toSorted(BY_NUMBER.compare);
  if (sorted.length === 1) return `${one} ${sorted[0]}`;
  if (sorted.length <= MOST) return `${several} ${sorted.join(', ')}`;
  return `${sorted.length} ${several} (${sorted.slice(0, MOST - 1).join(', ')} … ${sorted.at(-1)})`;
}
