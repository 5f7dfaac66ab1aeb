/** The part of an adapter that affects a case, and so the kinds for which `npm test` runs it. `e2e:full` runs all. */

/** The reference kind runs the cases of the engine alone. */
export type Kinds =
  | 'the reference kind'
  | 'kinds with owned resources'
  | 'kinds with unique names'
  | 'kinds that own jobs'
  | 'kinds with a leading role'
  | 'every kind';

interface ConcernEntry {
  readonly kinds: Kinds;
  readonly why: string;
}

export const CONCERNS = {
  engine: {
    kinds: 'the reference kind',
    why: 'no adapter has a say in it: what holds for one kind holds for all',
  },
  ownedResources: {
    kinds: 'kinds with owned resources',
    why: 'the pods of Jobs and StatefulSets, ConfigMaps and Secrets are made, watched and deleted in other ways than pods',
  },
  roles: {
    kinds: 'every kind',
    why: "an adapter says which replicas a job has and how its size is changed; so does the kind's scale subresource",
  },
  restarts: {
    kinds: 'every kind',
    why: 'an adapter says which container is looked at, what its restart policies mean, and who may come back',
  },
  outcome: {
    kinds: 'every kind',
    why: 'an adapter says when a job runs, when it has succeeded or failed, and which pods go on for ever',
  },
  startOrder: {
    kinds: 'kinds with a leading role',
    why: 'an adapter has an order of its own, and says how many replicas a job can go on with',
  },
  lifecycle: {
    kinds: 'every kind',
    why: "suspension, the manager and the limits are read in the kind's own spec",
  },
  events: {
    kinds: 'every kind',
    why: 'which objects are made, and so are told of, is for the adapter to say',
  },
  migration: {
    kinds: 'every kind',
    why: "kubeflow's operator leaves other roles, names and counts of each kind",
  },
} as const satisfies Readonly<Record<string, ConcernEntry>>;

export type Concern = keyof typeof CONCERNS;
