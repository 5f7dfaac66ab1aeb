/**
 * Which names a job may have: those from which its longest pod name is still a DNS label. Names are refused, never
 * shortened, because a shortened name could be another job's.
 */
import type { KubeObject } from './kubernetes.ts';
import type { Rule } from './rule.ts';

/** The most characters that a DNS label, and so a pod's hostname and a Service's name, can have. */
export const LONGEST_DNS_LABEL = 63;

/** The characters that follow a job's name in the longest name of one of its pods. */
export interface NameSuffix<T> {
  readonly of: (job: T) => number;
  /** CEL expression for whether the name of `self` leaves room for it, or has become no worse than in `oldSelf`. */
  readonly fitsCel: string;
  /** CEL expression for the most characters that the name of `self` may have, as a text; undefined where that costs too much. */
  readonly roomCel?: string;
}

/** How many pods a role may come to have in the life of a job; 0 when the job lacks the role. */
export interface RoleSize<T> {
  readonly role: string;
  /** CEL expression for it, given the expression for the job. */
  readonly cel: (job: string) => string;
  readonly of: (job: T) => number;
}

/** The name of the pod, and of its own Service, of replica `index` of `role`. */
export function replicaName(job: string, role: string, index: number): string {
  return `${job}-${role.toLowerCase()}-${index}`;
}

/** The greatest index that a replica can have: replicas are counted in 32 bits. */
const LARGEST_INDEX = 2_147_483_646;

const TOO_LONG =
  `metadata.name is too long: pod names (<job>-<role>-<index>) of the job would have more than ${LONGEST_DNS_LABEL} ` +
  'characters; shorten metadata.name to ';

const DNS_1035_LABEL = '^[a-z]([-a-z0-9]*[a-z0-9])?$';

/**
 * The rules for `metadata.name`. The API server prints no path for them, so the messages name the field. They look at
 * what a write changes: a name from before the rules does not stop later writes of the job's status.
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
      holds: (job) => nameOf(job).length + suffix.of(job) <= LONGEST_DNS_LABEL,
      message: `metadata.name is too long: pod names (<job>-<role>-<index>) of the job would have more than ${LONGEST_DNS_LABEL} characters; shorten metadata.name`,
      at: ['metadata', 'name'],
      ...(roomCel !== undefined && {
        messageFor: {
          cel: `'${TOO_LONG}' + ${roomCel} + ' characters'`,
          of: (job: T) => `${TOO_LONG}${LONGEST_DNS_LABEL - suffix.of(job)} characters`,
        },
      }),
      optionalOldSelf: true,
    },
  ];
}

/** CEL list: the longest name, by the number of characters that follow it in a pod's name. */
function roomBehind(most: number): string {
  return Array.from({ length: most + 1 }, (_, suffix) => `'${LONGEST_DNS_LABEL - suffix}'`).join(', ');
}

/** Of a job with these roles. */
export function suffixOfRoles<T>(roles: readonly RoleSize<T>[]): NameSuffix<T> {
  const suffixCel = (job: string) => `[${roles.map((size) => roleSuffixCel(size, job)).join(', ')}].max()`;
  const most = Math.max(...roles.map(({ role }) => replicaName('', role, LARGEST_INDEX).length));
  return {
    of: (job) =>
      Math.max(...roles.map(({ role, of }) => (of(job) > 0 ? replicaName('', role, of(job) - 1).length : 0))),
    fitsCel:
      `self.metadata.name.size() + ${suffixCel('self')} <= ${LONGEST_DNS_LABEL} || ` +
      `(oldSelf.hasValue() && ${suffixCel('oldSelf.value()')} >= ${suffixCel('self')})`,
    // A literal list turns the number into text: `string()` makes texts whose length, and so the cost of joining them, the
    // API server cannot estimate.
    roomCel: `[${roomBehind(most)}][${suffixCel('self')}]`,
  };
}

function roleSuffixCel<T>({ role, cel }: RoleSize<T>, job: string): string {
  const pods = cel(job);
  return `(${pods} > 0 ? ${role.length + 2} + string(${pods} - 1).size() : 0)`;
}
