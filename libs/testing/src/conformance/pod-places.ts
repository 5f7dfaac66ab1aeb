/** Pods with unique names: the suite uses the name of the first pod in a place for all its successors. */
import type { Pod } from '@muster/job-api';

interface Occupant {
  readonly uid: string;
  readonly number: number;
}

export class PodPlaces {
  /** The last observed pod of each place, by prefix and index. */
  #places = new Map<string, Occupant[]>();

  /**
   * The suite's name for each pod, by UID. A new pod takes the lowest place of its prefix whose pod is deleted or
   * terminating. A pod whose place is taken keeps its own name.
   *
   * @param pods all pods of the namespace
   */
  namesOf(pods: readonly Pod[]): Map<string, string> {
    const staying = new Set(pods.filter(({ metadata }) => metadata?.deletionTimestamp === undefined).map(uidOf));
    const seen = new Set([...this.#places.values()].flatMap((places) => places.map(({ uid }) => uid)));
    for (const pod of pods.filter((one) => staying.has(uidOf(one)) && !seen.has(uidOf(one))))
      this.#position(pod, staying);
    return new Map(pods.map((pod) => [uidOf(pod), this.#nameOf(pod)]));
  }

  /** Pods are created concurrently: those with higher numbers move up for one with a lower number. */
  #position(pod: Pod, staying: ReadonlySet<string>): void {
    const places = this.#places.get(keyOf(pod)) ?? [];
    this.#places.set(keyOf(pod), places);
    const newest = { uid: uidOf(pod), number: numberOf(pod) };
    const isHigher = ({ uid, number }: Occupant) => staying.has(uid) && number > newest.number;
    const higher = places.filter(isHigher);
    const free = [...places.keys()].find((index) => !staying.has(places[index]!.uid)) ?? places.length;
    const indexes = [...places.keys()].filter((index) => isHigher(places[index]!)).concat(free);
    const inOrder = [...higher, newest].sort((one, other) => one.number - other.number);
    indexes.sort((one, other) => one - other).forEach((index, at) => (places[index] = inOrder[at]!));
  }

  #nameOf(pod: Pod): string {
    const index = this.#places.get(keyOf(pod))?.findIndex(({ uid }) => uid === uidOf(pod)) ?? -1;
    return index === -1 ? nameOf(pod) : `${prefixOf(pod)}-${index}`;
  }
}

function uidOf({ metadata }: Pod): string {
  return metadata?.uid ?? '';
}

function nameOf({ metadata }: Pod): string {
  return metadata?.name ?? '';
}

function keyOf(pod: Pod): string {
  return `${pod.metadata?.namespace ?? ''}/${prefixOf(pod)}`;
}

function prefixOf(pod: Pod): string {
  return nameOf(pod).replace(/-\d+$/, '');
}

function numberOf(pod: Pod): number {
  return Number(/\d+$/.exec(nameOf(pod))?.[0] ?? 0);
}
