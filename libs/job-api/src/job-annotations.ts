/**
 * Validates the annotations of a job in `muster.dev/`. Rules of a CustomResourceDefinition cannot read annotations, so
 * the operator and `muster plan` check them.
 */
import { ANNOTATIONS, SERVICE_MODES } from './annotations.ts';
import type { KubeObject } from './kubernetes.ts';
import { nearestName } from './nearest-name.ts';
import type { FieldProblem } from './problems-of.ts';

interface KnownAnnotation {
  /** Kinds that use the annotation. Default: all. */
  readonly kinds?: readonly string[];
  /** Error about a value, in the API server's format. */
  readonly problem: (value: string) => string | undefined;
}

const PREFIX = 'muster.dev/';
const POD_NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

const oneOf = (allowed: readonly string[]) => (value: string) =>
  allowed.includes(value)
    ? undefined
    : `Unsupported value: ${JSON.stringify(value)}: supported values: ${allowed.join(', ')}`;

const podNames = (value: string) => {
  const wrong = value.split(',').find((name) => name.trim() !== '' && !POD_NAME.test(name.trim()));
  return wrong === undefined
    ? undefined
    : `Invalid value: ${JSON.stringify(wrong.trim())}: must be names of pods, separated by commas`;
};

const fraction = (value: string) =>
  /^(0?\.\d+|1(\.0*)?)$/.test(value) && Number(value) > 0
    ? undefined
    : `Invalid value: ${JSON.stringify(value)}: must be a number over 0 and at most 1`;

const seconds = (value: string) =>
  /^[1-9]\d{0,8}$/.test(value)
    ? undefined
    : `Invalid value: ${JSON.stringify(value)}: must be a whole number of seconds, at least 1`;

const schedulerName = (value: string) =>
  /^[a-z0-9A-Z]([-.a-z0-9A-Z]{0,251}[a-z0-9A-Z])?$/.test(value)
    ? undefined
    : `Invalid value: ${JSON.stringify(value)}: must be volcano, kubernetes, yunikorn, kai-scheduler, none or the name of a scheduler`;

const labelKey = (value: string) =>
  /^([a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$/.test(value)
    ? undefined
    : `Invalid value: ${JSON.stringify(value)}: must be the key of a node label`;

/** Kinds that run to completion, or create such jobs. */
const JOB_KINDS = [
  'PyTorchJob',
  'TFJob',
  'MXJob',
  'PaddleJob',
  'JAXJob',
  'XGBoostJob',
  'MPIJob',
  'RayJob',
  'RayCronJob',
  'Job',
];

/** A RayCronJob passes them to its RayJobs, and RayJobs and RayServices to their RayClusters. */
const RAY_KINDS = ['RayCluster', 'RayJob', 'RayCronJob', 'RayService'];

const KNOWN: Readonly<Record<string, KnownAnnotation>> = {
  [ANNOTATIONS.serviceMode]: { problem: oneOf(SERVICE_MODES) },
  [ANNOTATIONS.scaleDownPods]: { problem: podNames },
  [ANNOTATIONS.evaluatorInCluster]: { kinds: ['TFJob'], problem: oneOf(['true', 'false']) },
  [ANNOTATIONS.discoverSlots]: { kinds: ['MPIJob'], problem: oneOf(['true', 'false']) },
  [ANNOTATIONS.rayMemoryFraction]: { kinds: RAY_KINDS, problem: fraction },
  [ANNOTATIONS.rayGcsWaitSeconds]: { kinds: RAY_KINDS, problem: seconds },
  [ANNOTATIONS.sidecarGraceSeconds]: { kinds: JOB_KINDS, problem: seconds },
  [ANNOTATIONS.deleteAfter]: { kinds: ['RayCluster'], problem: () => undefined },
  [ANNOTATIONS.serveProxies]: { kinds: ['RayCluster'], problem: () => undefined },
  [ANNOTATIONS.gangScheduler]: { problem: schedulerName },
  [ANNOTATIONS.gangTopology]: { problem: labelKey },
  [ANNOTATIONS.status]: { problem: () => undefined },
};

/** Prefix of the paths of all problems with annotations. */
export const ANNOTATION_PATH = 'metadata.annotations[';

/** Annotations of `job` with invalid values, in the order of the manifest. The schema reports values that are not strings. */
export function annotationProblems(job: KubeObject): FieldProblem[] {
  return musterAnnotations(job).flatMap(([key, value]) => {
    const message = typeof value === 'string' && isRead(job, key) ? KNOWN[key]?.problem(value) : undefined;
    return message === undefined ? [] : [{ path: pathOf(key), message }];
  });
}

/** Annotations in `muster.dev/` that are unknown, or not used by this kind. */
export function unknownAnnotations(job: KubeObject): FieldProblem[] {
  return musterAnnotations(job).flatMap(([key]) => {
    if (isRead(job, key)) return [];
    const nearest = nearestName(
      key,
      Object.keys(KNOWN).filter((known) => known !== ANNOTATIONS.status && isRead(job, known)),
    );
    const hint = nearest === undefined || nearest === key ? '' : `; did you mean ${nearest}?`;
    return [{ path: pathOf(key), message: `unknown annotation for kind ${job.kind ?? 'Job'}${hint}` }];
  });
}

function musterAnnotations({ metadata }: KubeObject): [key: string, value: string][] {
  return Object.entries(metadata?.annotations ?? {}).filter(([key]) => key.startsWith(PREFIX));
}

function isRead({ kind = '' }: KubeObject, key: string): boolean {
  const known = KNOWN[key];
  return known !== undefined && (known.kinds === undefined || known.kinds.includes(kind));
}

function pathOf(key: string): string {
  return `${ANNOTATION_PATH}${key}]`;
}
