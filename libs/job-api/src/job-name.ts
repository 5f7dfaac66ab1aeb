/**
 * Validates job names: the longest pod name must be a DNS label. Names are rejected instead of shortened, because a
 * shortened name could be that of another job.
 */
import type { KubeObject } from './kubernetes.ts';
import type { Rule } from './rule.ts';

/** Maximum length of a DNS label, and so of pod hostnames and Service names. */
export const MAX_DNS_LABEL_LENGTH = 63;

/** Length of what follows the job's name in its longest pod name. */
export interface NameSuffix<T> {
  readonly of: (job: T) => number;
  /** CEL expression: the name of `self` leaves room for it, or no less room than in `oldSelf`. */
  readonly fitsCel: string;
  /** CEL expression for the maximum length of the name of `self`, as a string; undefined if it costs too much. */
  readonly roomCel?: string;
}

/** Maximum number of pods of a role in the life of a job; 0 if the job lacks the role. */
export interface RoleSize<T> {
  readonly role: string;
  /** CEL expression for it, given the expression for the job. */
  readonly cel: (job: string) => string;
  readonly of: (job: T) => number;
}

/** Name of the pod of a replica, and of its own Service. */
export function replicaName(job: string, role: string, index: number): string {
  return `${job}-${role.toLowerCase()}-${index}`;
}

/** Largest index of a replica: replicas are counted in 32 bits. */
const LARGEST_INDEX = 2_147_483_646;

const TOO_LONG =
  `metadata.name is too long: pod names (<job>-<role>-<index>) of the job would have more than ${MAX_DNS_LABEL_LENGTH} ` +
  'characters; shorten metadata.name to ';

const DNS_1035_LABEL = '^[a-z]([-a-z0-9]*[a-z0-9])?$';

/**
 * Rules for `metadata.name`. The API server prints no path for them, so the messages name the field. They apply to
 * what a write changes: a job stored before the rules can still be updated.
 */
export function jobNameRules<T extends KubeObject>(suffix: NameSuffix<T>): Rule<T>[] {
  const nameOf = (job: T) => job.metadata?.name ?? '';
  const { roomCel } = suffix;
  return [
    {
      cel: `oldSelf.hasValue() || self.metadata.name.matches('${DNS_1035_LABEL}')`,
      holds: (job) => nameOf(job) === '' || new RegExp(DNS_1035_LABEL).test(nameOf(job)),
      message:
        'metadata.name must be a DNS label: lower-case letters, digits and "-", starting with a letter and ending with a letter or digit',
      at: ['metadata', 'name'],
      optionalOldSelf: true,
    },
    {
      cel: suffix.fitsCel,
      holds: (job) => nameOf(job).length + suffix.of(job) <= MAX_DNS_LABEL_LENGTH,
      message: `metadata.name is too long: pod names (<job>-<role>-<index>) of the job would have more than ${MAX_DNS_LABEL_LENGTH} characters; shorten metadata.name`,
      at: ['metadata', 'name'],
      ...(roomCel !== undefined && {
        messageFor: {
          cel: `'${TOO_LONG}' + ${roomCel} + ' characters'`,
          of: (job: T) => `${TOO_LONG}${MAX_DNS_LABEL_LENGTH - suffix.of(job)} characters`,
        },
      }),
      optionalOldSelf: true,
    },
  ];
}

/** CEL list of maximum name lengths, indexed by the length of what follows the name in a pod's name. */
function roomBehind(most: number): string {
  return Array.from({ length: most + 1 }, (_, suffix) => `'${MAX_DNS_LABEL_LENGTH - suffix}'`).join(', ');
}

/** Suffix of jobs with these roles. */
export function suffixOfRoles<T>(roles: readonly RoleSize<T>[]): NameSuffix<T> {
  const suffixCel = (job: string) => `[${roles.map((size) => roleSuffixCel(size, job)).join(', ')}].max()`;
  const most = Math.max(...roles.map(({ role }) => replicaName('', role, LARGEST_INDEX).length));
  return {
    of: (job) =>
      Math.max(...roles.map(({ role, of }) => (of(job) > 0 ? replicaName('', role, of(job) - 1).length : 0))),
    fitsCel:
      `self.metadata.name.size() + ${suffixCel('self')} <= ${MAX_DNS_LABEL_LENGTH} || ` +
      `(oldSelf.hasValue() && ${suffixCel('oldSelf.value()')} >= ${suffixCel('self')})`,
    // A literal list converts the number to a string: the API server cannot estimate the length of what `string()`
    // returns.
    roomCel: `[${roomBehind(most)}][${suffixCel('self')}]`,
  };
}

function roleSuffixCel<T>({ role, cel }: RoleSize<T>, job: string): string {
  const pods = cel(job);
  return `(${pods} > 0 ? ${role.length + 2} + string(${pods} - 1).size() : 0)`;
}
