/**
 * The places of pods that get a new name each time they are recreated (`<prefix>-<number>`, each number once). The suite calls a pod
 * by its place: by the name of the first pod that had it.
 */
import type { Pod } from '@muster/job-api';

interface Occupant {
  readonly uid: string;
  readonly number: number;
}

export class PodPlaces {
  /** The pod that was last seen in each place, by prefix and index. */
  #places = new Map<string, Occupant[]>();

  /**
   * What the suite calls each of the pods, by UID. A pod that was not seen before takes the lowest place of its prefix whose pod is
   * gone or going; one whose place another has taken goes by its own name.
   *
   * @param pods all that there are in the namespace
   */
  namesOf(pods: readonly Pod[]): Map<string, string> {
    const staying = new Set(pods.filter(({ metadata }) => metadata?.deletionTimestamp === undefined).map(uidOf));
    const seen = new Set([...this.#places.values()].flatMap((places) => places.map(({ uid }) => uid)));
    for (const pod of pods.filter((one) => staying.has(uidOf(one)) && !seen.has(uidOf(one))))
      this.#position(pod, staying);
    return new Map(pods.map((pod) => [uidOf(pod), this.#nameOf(pod)]));
  }

  /** Pods are made side by side: where one of a lower number is seen later, those of higher numbers make way for it. */
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

/** The namespace and the prefix. */
function keyOf(pod: Pod): string {
  return `${pod.metadata?.namespace ?? ''}/${prefixOf(pod)}`;
}

function prefixOf(pod: Pod): string {
  return nameOf(pod).replace(/-\d+$/, '');
}

function numberOf(pod: Pod): number {
  return Number(/\d+$/.exec(nameOf(pod))?.[0] ?? 0);
}
