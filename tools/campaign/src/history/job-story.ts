/** The changes of a history, by job and by pod. */
import type { Change, History, StoredObject } from './history.ts';

/** One state of an object. */
export interface Version {
  readonly revision: number;
  readonly atMs: number;
  readonly object: StoredObject;
}

/** The life of one object (one UID). */
export interface Life {
  readonly uid: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** Not empty; the first is the creation, unless the history began later. */
  readonly versions: readonly Version[];
  /** The removal. Absent while the object exists. */
  readonly gone?: { readonly revision: number; readonly atMs: number };
}

export interface JobStory extends Life {
  readonly kind: string;
  /** Pods that the job controls, also through another object such as a Job. In the order of creation. */
  readonly pods: readonly Life[];
  /** All objects that name the job as their controller, pods included. */
  readonly owned: readonly Life[];
  /** Its namespace is being deleted, and still there at the end: nothing can be created in it, and Kubernetes has yet to delete the job. */
  readonly isNamespaceGoing: boolean;
}

const JOB_GROUPS = ['kubeflow.org', 'ray.io', 'batch.volcano.sh'];

/** All jobs of the history, in the order of creation. */
export function jobStories({ changes }: Pick<History, 'changes'>): JobStory[] {
  const lives = livesOf(changes);
  const jobs = [...lives.values()].filter(({ resource }) => JOB_GROUPS.some((group) => resource.endsWith(`.${group}`)));
  const owned = new Map<string, Life[]>(jobs.map(({ uid }) => [uid, []]));
  const pods = new Map<string, Life[]>(jobs.map(({ uid }) => [uid, []]));
  for (const life of lives.values()) {
    const controller = controllerOf(firstOf(life).object);
    if (controller !== undefined) owned.get(controller)?.push(life);
    if (life.resource === 'pods') pods.get(jobOf(life, lives, pods) ?? '')?.push(life);
  }
  const going = new Set([...lives.values()].filter(isNamespaceGoing).map(({ name }) => name));
  return jobs.map((life) => ({
    ...life,
    isNamespaceGoing: going.has(life.namespace),
    kind: firstOf(life).object.kind ?? '',
    pods: pods.get(life.uid) ?? [],
    owned: owned.get(life.uid) ?? [],
  }));
}

function isNamespaceGoing(life: Life): boolean {
  if (life.resource !== 'namespaces' || life.gone !== undefined) return false;
  return lastOf(life).object.metadata?.deletionTimestamp !== undefined;
}

/** All objects of the history, by UID, in the order of creation. */
export function livesOf(changes: readonly Change[]): Map<string, Life> {
  const lives = new Map<string, Life & { versions: Version[] }>();
  for (const { revision, atMs, resource, namespace, name, before, after } of changes) {
    const uid = (after ?? before)?.metadata?.uid;
    if (uid === undefined) continue;
    const life = lives.get(uid) ?? { uid, resource, namespace, name, versions: [] };
    if (after !== undefined) life.versions.push({ revision, atMs, object: after });
    if (life.versions.length === 0) continue;
    lives.set(uid, after === undefined ? { ...life, gone: { revision, atMs } } : life);
  }
  return lives;
}

export function firstOf({ versions }: Pick<Life, 'versions'>): Version {
  const [first] = versions;
  if (first === undefined) throw new Error('a life has at least one version');
  return first;
}

export function lastOf({ versions }: Pick<Life, 'versions'>): Version {
  return versions.at(-1) ?? firstOf({ versions });
}

/** The state before the write with this revision; undefined if the object did not exist. */
export function versionBefore({ versions, gone }: Life, revision: number): Version | undefined {
  if (gone !== undefined && gone.revision < revision) return undefined;
  return versions.findLast((version) => version.revision < revision);
}

export function controllerOf({ metadata }: StoredObject): string | undefined {
  return metadata?.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

/** For messages: `PyTorchJob team-a/mnist`. */
export function titleOf({ kind, namespace, name }: Pick<JobStory, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace}/${name}`;
}

function jobOf(pod: Life, lives: ReadonlyMap<string, Life>, jobs: ReadonlyMap<string, unknown>): string | undefined {
  let uid = controllerOf(firstOf(pod).object);
  while (uid !== undefined && !jobs.has(uid)) {
    const owner = lives.get(uid);
    uid = owner && controllerOf(firstOf(owner).object);
  }
  return uid;
}
