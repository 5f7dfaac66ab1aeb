/**
 * The places of pods that get a new name each time they are recreated (`<prefix>-<number>`, each number once). The suite calls a pod
 * by its place: by the name of the first pod that had it.
 */
import type { Pod } from '@muster/job-api';

export class PodPlaces {
  /** The UID of the pod that was last seen in each place. */
  #uids = new Map<string, string>();

  /**
   * What the suite calls each of the pods, by UID. A pod that was not seen before takes the lowest place of its prefix whose pod is
   * gone or going; one whose place another has taken goes by its own name.
   *
   * @param pods all that there are in the namespace
   */
  namesOf(pods: readonly Pod[]): Map<string, string> {
    const staying = new Set(pods.filter(({ metadata }) => metadata?.deletionTimestamp === undefined).map(uidOf));
    const seen = new Set(this.#uids.values());
    const isNew = (pod: Pod) => staying.has(uidOf(pod)) && !seen.has(uidOf(pod));
    for (const pod of pods.filter(isNew).sort((one, other) => numberOf(one) - numberOf(other))) {
      this.#uids.set(this.#freePlace(keyOf(pod), staying), uidOf(pod));
    }
    const places = new Map([...this.#uids].map(([place, uid]) => [uid, place.slice(place.indexOf('/') + 1)] as const));
    return new Map(pods.map((pod) => [uidOf(pod), places.get(uidOf(pod)) ?? nameOf(pod)]));
  }

  #freePlace(prefix: string, staying: ReadonlySet<string>): string {
    let index = 0;
    while (staying.has(this.#uids.get(`${prefix}-${index}`) ?? '')) index++;
    return `${prefix}-${index}`;
  }
}

function uidOf({ metadata }: Pod): string {
  return metadata?.uid ?? '';
}

function nameOf({ metadata }: Pod): string {
  return metadata?.name ?? '';
}

/** The namespace and the name without its number. */
function keyOf(pod: Pod): string {
  return `${pod.metadata?.namespace ?? ''}/${nameOf(pod).replace(/-\d+$/, '')}`;
}

function numberOf(pod: Pod): number {
  return Number(/\d+$/.exec(nameOf(pod))?.[0] ?? 0);
}
