/** The part of an adapter that affects a case, and so the kinds for which `npm test` runs it. `e2e:full` runs all. */

/** The reference kind runs the cases of the engine alone. */
export type Kinds =
  | 'the reference kind'
  | 'kinds with owned resources'
  | 'kinds with unique names'
  | 'kinds that own jobs'
  | 'kinds with a leading role'
  | 'kinds that are not plain'
  | 'every kind';

interface ConcernEntry {
  readonly kinds: Kinds;
  readonly why: string;
}

export const CONCERNS = {
  engine: {
    kinds: 'the reference kind',
    why: 'no adapter affects it: one kind represents all',
  },
  ownedResources: {
    kinds: 'kinds with owned resources',
    why: 'pods of Jobs and StatefulSets, ConfigMaps and Secrets are created, watched and deleted in other ways than pods',
  },
  roles: {
    kinds: 'every kind',
    why: "an adapter and the kind's scale subresource determine which replicas a job has and how its size is changed",
  },
  restarts: {
    kinds: 'kinds that are not plain',
    why: 'an adapter determines the main container, the meaning of restart policies, and which replicas can rejoin',
  },
  outcome: {
    kinds: 'every kind',
    why: 'an adapter determines when a job runs, succeeds or fails, and which pods never end',
  },
  startOrder: {
    kinds: 'kinds with a leading role',
    why: 'an adapter has its own start order, and determines the minimum number of replicas',
  },
  lifecycle: {
    kinds: 'kinds that are not plain',
    why: "suspension, managedBy and limits are read from the kind's own spec",
  },
  events: {
    kinds: 'kinds that are not plain',
    why: 'an adapter determines which objects are created, and so which events are emitted',
  },
  migration: {
    kinds: 'kinds that are not plain',
    why: "kubeflow's operator leaves other roles, names and counts of each kind",
  },
} as const satisfies Readonly<Record<string, ConcernEntry>>;

export type Concern = keyof typeof CONCERNS;
