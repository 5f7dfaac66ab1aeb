/**
 * What the engine asks of a framework: data and pure functions, nothing that reads an API or a clock.
 *
 * An adapter speaks of **roles** only. The kind that a job came from is the matter of its `read`, so that another kind
 * (Volcano's Job, whose tasks are roles as well) can feed the same rules.
 */
import type { Container, EnvVar, Pod, PodSpec, Resource } from '@muster/job-api';
import type { JobContext } from '../model/job-context.ts';
import type { JobManifest, Replica, RoleTally, TrainingJob } from '../model/training-job.ts';
import type {
  AutoscalingFacet,
  Commands,
  Elastic,
  FactsFacet,
  Failures,
  Finalize,
  JobGauge,
  JobWarning,
  Lifecycle,
  Network,
  OwnedResources,
  PodAnnotation,
  References,
  Scheduling,
  StatusCodec,
  Workloads,
} from './facets.ts';

/** What a pod gets from its framework, beyond its template. */
export interface PodAdditions {
  /** For every container; a name that the user has set already is left as the user set it. */
  readonly env?: readonly EnvVar[];
  /** The same for the framework's container alone. */
  readonly mainEnv?: readonly EnvVar[];
  /** Beside those of the template, which these replace. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Run after the user's own init containers. */
  readonly initContainers?: readonly Container[];
  /** What the framework makes of the spec that has all of the above. */
  readonly shape?: (spec: PodSpec) => PodSpec;
}

/** How pods of a job find one another. All pods of one pass over the job are given the same object. */
export interface Peers {
  /** The name in DNS of the replica's pod, good anywhere in the cluster: `mnist-worker-0.mnist.team.svc`. */
  addressOf(replica: Replica): string;
}

/** Where a job stands by its framework's rule. */
export type Outcome = OutcomePhase & {
  /** In how many milliseconds it is another though nothing else happens: a time of its own is over then. */
  readonly recheckAfterMs?: number;
  /** Events of type Warning about a job that has not ended; each is emitted once. */
  readonly warnings?: readonly JobWarning[];
};

type OutcomePhase =
  | { readonly phase: 'Pending' }
  | { readonly phase: 'Running' | 'Succeeded'; readonly message: string }
  /** The job begins anew, as its next attempt (`status.attempt`); said once of each attempt. */
  | { readonly phase: 'Restarting'; readonly message: string }
  | {
      readonly phase: 'Failed';
      readonly message: string;
      /** The condition's reason, where it is not `<Kind>Failed`. */
      readonly reason?: string;
    };

/** Something wrong with a manifest. */
export interface Problem {
  /** In the API server's spelling: `spec.pytorchReplicaSpecs[Worker].replicas`. */
  readonly path: string;
  readonly message: string;
}

/** Which objects the caches ask the API server for: those with the label `key`, of one of `values` if there are any. */
export interface LabelSelector {
  readonly key: string;
  readonly values?: readonly string[];
}

/** By which labels what belongs to jobs of a kind is found again. */
export interface JobLabels<Options = unknown> {
  /** Finds all that belongs to jobs of the kind. Kinds of one operator with the same key share caches. */
  readonly selector: LabelSelector;
  /** On everything that belongs to the job of this name. */
  ofJob(name: string): Readonly<Record<string, string>>;
  /** The name of the job that an object with these labels belongs to; undefined where they name none of this kind. */
  jobOf(labels: Readonly<Record<string, string>>): string | undefined;
  /** The labels of the replica's pod beside the template's. */
  ofPod(job: TrainingJob<Options>, replica: Replica): Readonly<Record<string, string>>;
  /**
   * Which replica a pod of a job is: the role in lower case. Undefined where it is none. Of a role with fresh names a pod need not
   * say its index: another operator has made it.
   */
  replicaOf(pod: Pod): { readonly role: string; readonly index?: number } | undefined;
}

/** The core that every kind of job has. What only some have are facets: see `facets.ts`. */
export interface FrameworkAdapter<Manifest extends JobManifest = JobManifest, Options = unknown> {
  readonly resource: Resource<Manifest>;
  /** The value of the metrics label `framework`, and the name of the Lease. */
  readonly framework: string;
  /** The command with which the user installs the kind's CRD, for messages. */
  readonly installHint: string;
  /** The settings that it was made with, as JSON has them. A record of a pass has them, so that the same adapter can be made again. Default: none. */
  readonly madeWith?: Readonly<Record<string, unknown>>;
  readonly labels: JobLabels<Options>;
  readonly lifecycle: Lifecycle<Manifest>;

  /** What is wrong with the manifest that admission could not see; empty when nothing. Called before `read`. */
  problems(manifest: Manifest): readonly Problem[];
  /** What of a manifest without problems is likely not to do what its author wants; each is told once. Default: nothing. */
  warnings?(manifest: Manifest): readonly Problem[];
  /**
   * Roles and options of the manifest, with the defaults filled in. Never throws on a manifest without problems. A reconcile run
   * calls it once and hands the options to the functions below, so what several of them need of the context is computed here.
   *
   * @param context with the required references, unless the job has begun; without observations where only roles are needed (metrics, CLI)
   */
  read(manifest: Manifest, context: JobContext): Pick<TrainingJob<Options>, 'roles' | 'options'>;
  pod(job: TrainingJob<Options>, replica: Replica, peers: Peers): PodAdditions;
  /** Running, succeeded or failed, and in whose words. Only ordered data: the same tallies and context, the same outcome. */
  outcome(job: TrainingJob<Options>, tallies: readonly RoleTally[], context: JobContext): Outcome;
  /**
   * The states of the job and its pods whose ages the outcome or `failures` looks up in `JobContext.stateAges`, beside those that the
   * engine ages. Called with any manifest; never throws. A state has a name of its own: by the UID of its object. Default: none.
   */
  agingStates?(
    manifest: Manifest,
    pods: readonly Pod[],
    others: Pick<JobContext, 'ownedResources' | 'references'>,
  ): readonly string[];

  readonly network?: Network<Options>;
  readonly scheduling?: Scheduling<Options>;
  readonly autoscaling?: AutoscalingFacet<Options>;
  readonly elastic?: Elastic<Options>;
  readonly workloads?: Workloads;
  readonly ownedResources?: OwnedResources<Options>;
  /** By key. */
  readonly podAnnotations?: Readonly<Record<string, PodAnnotation<Options>>>;
  readonly failures?: Failures<Options>;
  readonly status?: StatusCodec<Manifest, Options>;
  readonly references?: References<Manifest>;
  readonly facts?: FactsFacet<Manifest, Options>;
  readonly commands?: Commands;
  readonly finalize?: Finalize<Options>;
  readonly gauges?: readonly JobGauge<Manifest>[];
}
