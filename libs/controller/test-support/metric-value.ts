import type { Registry } from 'prom-client';

export async function metricValue(
  registry: Registry,
  name: string,
  labels: Record<string, string>,
): Promise<number | undefined> {
  const wanted = Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .sort();
  for (const line of (await registry.metrics()).split('\n')) {
    const [, sample, text, value] = /^(\w+)\{(.*)\} (\S+)$/.exec(line) ?? [];
    if (sample === name && text?.split(',').sort().join() === wanted.join()) return Number(value);
  }
  return undefined;
}
