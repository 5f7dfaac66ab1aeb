/** A DNS search entry resolves the bare names of a job's pods. The limits are those of Kubernetes' validation. */
import type { PodSpec } from '@muster/job-api';

const MOST_ENTRIES = 32;
const MOST_CHARACTERS = 2048;

export function withSearch(spec: PodSpec, search: string): PodSpec {
  const searches = spec.dnsConfig?.searches ?? [];
  if (searches.includes(search) || !hasRoomFor(spec, search)) return spec;
  return { ...spec, dnsConfig: { ...spec.dnsConfig, searches: [...searches, search] } };
}

export function hasRoomFor(spec: PodSpec, search: string): boolean {
  const all = new Set([...(spec.dnsConfig?.searches ?? []), search]);
  return all.size <= MOST_ENTRIES && [...all].join(' ').length <= MOST_CHARACTERS;
}
