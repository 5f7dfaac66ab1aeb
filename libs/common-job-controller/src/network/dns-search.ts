/**
 * The DNS search entry that resolves the bare names of a job's pods. Kubernetes limits the list (pkg/apis/core/validation:
 * MaxDNSSearchPaths, MaxDNSSearchListChars). The template's entries come first.
 */
import type { PodSpec } from '@muster/job-api';

const MOST_ENTRIES = 32;
const MOST_CHARACTERS = 2048;

/** Adds the entry `search`, if it is missing and the limits allow it. */
export function withSearch(spec: PodSpec, search: string): PodSpec {
  const searches = searchesOf(spec);
  if (searches.includes(search) || !hasRoomFor(spec, search)) return spec;
  return { ...spec, dnsConfig: { ...spec.dnsConfig, searches: [...searches, search] } };
}

export function hasRoomFor(spec: PodSpec, search: string): boolean {
  const all = new Set([...searchesOf(spec), search]);
  return all.size <= MOST_ENTRIES && [...all].join(' ').length <= MOST_CHARACTERS;
}

function searchesOf({ dnsConfig }: PodSpec): string[] {
  return dnsConfig?.searches ?? [];
}
