/**
 * The interface of a framework: data and pure functions, without access to APIs or clocks. Only `read` depends on the job's kind, so that
 * another kind (Volcano's Job, whose tasks are roles) can use the same rules.
 */
import type { Container, EnvVar, Pod, PodSpec, Resource, ValidatedKind } from '@muster/job-api';
import type { JobContext } from '../model/job-context.ts';
import type { JobManifest, Replica, RoleTally, TrainingJob } from '../model/training-job.ts';
import type { Facets, JobWarning, Lifecycle } from './facets.ts';

export interface PodAdditions {
  /** For every container. Variables that the user has set are kept. */
  readonly env?: readonly EnvVar[];
  readonly mainEnv?: readonly EnvVar[];
  /** They override equal keys of the template. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Run after the user's init containers. */
  readonly initContainers?: readonly Container[];
  /** Transforms the spec after all other additions. */
  readonly shape?: (spec: PodSpec) => PodSpec;
}

/** All pods of one reconcile run share one object. */
export interface Peers {
  /** The DNS name of the replica's pod, valid in the whole cluster: `mnist-worker-0.mnist.team.svc`. */
  addressOf(replica: Replica): string;
}

export type Outcome = OutcomePhase & {
  /** In how many milliseconds the outcome changes without another event, for example when a timeout ends. */
  readonly recheckAfterMs?: number;
  /** Events about a job that has not ended. Each is emitted once. */
  readonly warnings?: readonly JobWarning[];
};

type OutcomePhase =
  | { readonly phase: 'Pending' }
  | { readonly phase: 'Running' | 'Succeeded'; readonly message: string }
  /** The job restarts as its next attempt (`status.attempt`). Returned once per attempt. */
  | {
      readonly phase: 'Restarting';
      readonly message: string;
      /** False if it does not count towards `backoffLimit`. Default: it does. */
      readonly isCounted?: false;
    }
  | {
      readonly phase: 'Failed';
      readonly message: string;
      /** The condition's reason. Default: `<Kind>Failed`. */
      readonly reason?: string;
    };

export interface Problem {
  /** The field path in the API server's format: `spec.pytorchReplicaSpecs[Worker].replicas`. */
  readonly path: string;
  readonly message: string;
}

/** Selects the objects in the caches: those with the label `key`, restricted to `values` if set. */
export interface LabelSelector {
  readonly key: string;
  readonly values?: readonly string[];
}

export interface JobLabels<Options = unknown> {
  /** Selects the objects of all jobs of the kind. Kinds of one operator with the same key share caches. */
  readonly selector: LabelSelector;
  ofJob(name: string): Readonly<Record<string, string>>;
  /** Undefined if the labels name no job of this kind. */
  jobOf(labels: Readonly<Record<string, string>>): string | undefined;
  /** The labels of the replica's pod, in addition to the template's. */
  ofPod(job: TrainingJob<Options>, replica: Replica): Readonly<Record<string, string>>;
  /** With the role in lower case. The index may be absent for a role with unique names, if another operator created the pod. */
  replicaOf(pod: Pod): { readonly role: string; readonly index?: number } | undefined;
}

/** What every kind of job has. Optional parts are facets. */
export interface FrameworkAdapter<Manifest extends JobManifest = JobManifest, Options = unknown> extends Facets<
  Manifest,
  Options
> {
  readonly resource: Resource<Manifest>;
  /** The schema of its CRD. Shadow mode takes the defaults from it that the CRD of another operator lacks. Default: it takes none. */
  readonly definition?: ValidatedKind<Manifest>;
  /**
   * The version in which a job's objects name their owner, if jobs of several versions are stored in one CRD: an operator that serves only
   * the job's version, and the garbage collector under its CRD, find the owner in no other. Must not throw for any manifest. Default: the
   * resource's.
   */
  ownerVersion?(manifest: Manifest): string | undefined;
  /** The metrics label `framework`, and the name of the Lease. */
  readonly framework: string;
  /** The command that installs the kind's CRD, for messages. */
  readonly installHint: string;
  /** Whether the operator runs its other kinds where the cluster does not serve this one. Default: no. */
  readonly isOptional?: boolean;
  /** The adapter's settings as JSON. Recorded runs include them, so that a replay can build the same adapter. Default: none. */
  readonly madeWith?: Readonly<Record<string, unknown>>;
  readonly labels: JobLabels<Options>;
  readonly lifecycle: Lifecycle<Manifest>;

  /** Errors that admission cannot detect. Called before `read`. */
  problems(manifest: Manifest): readonly Problem[];
  /** Likely mistakes in a manifest without problems. Each is reported once. Default: none. */
  warnings?(manifest: Manifest): readonly Problem[];
  /**
   * Must not throw for a manifest without problems. A run calls it once, so values that several functions need are computed here.
   *
   * @param context has the required references, unless the job has started. Has no observations if only roles are needed (metrics, CLI).
   */
  read(manifest: Manifest, context: JobContext): Pick<TrainingJob<Options>, 'roles' | 'options'>;
  pod(job: TrainingJob<Options>, replica: Replica, peers: Peers): PodAdditions;
  /** The phase and its message. Must be deterministic: equal tallies and context give an equal outcome. */
  outcome(job: TrainingJob<Options>, tallies: readonly RoleTally[], context: JobContext): Outcome;
  /**
   * Names of states whose ages `outcome` or `failures` reads from `JobContext.stateAges`, unique for example by their objects' UIDs. Called
   * with any manifest; must not throw. Default: none.
   */
  agingStates?(
    manifest: Manifest,
    pods: readonly Pod[],
    others: Pick<JobContext, 'ownedResources' | 'references'>,
  ): readonly string[];
}
