/**
 * Which names a job may have: those from which its longest pod name is still a DNS label. Names are refused, never
 * shortened, because a shortened name could be another job's.
 */
import type { KubeObject } from './kubernetes.ts';
import type { Rule } from './rule.ts';

/** The most characters that a DNS label, and so a pod's hostname and a Service's name, can have. */
export const LONGEST_DNS_LABEL = 63;

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
export function jobNameRules<T extends KubeObject>(roles: readonly RoleSize<T>[]): Rule<T>[] {
  const suffixLength = (job: T) =>
    Math.max(...roles.map(({ role, of }) => (of(job) > 0 ? replicaName('', role, of(job) - 1).length : 0)));
  const suffixCel = (job: string) => `[${roles.map((size) => roleSuffixCel(size, job)).join(', ')}].max()`;
  const nameOf = (job: T) => job.metadata?.name ?? '';

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
      cel:
        `self.metadata.name.size() + ${suffixCel('self')} <= ${LONGEST_DNS_LABEL} || ` +
        `(oldSelf.hasValue() && ${suffixCel('oldSelf.value()')} >= ${suffixCel('self')})`,
      holds: (job) => nameOf(job).length + suffixLength(job) <= LONGEST_DNS_LABEL,
      message: `metadata.name is too long: pod names of the job would have more than ${LONGEST_DNS_LABEL} characters`,
      at: ['metadata', 'name'],
      messageFor: {
        // A literal list turns the number into text: `string()` makes texts whose length, and so the cost of joining
        // them, the API server cannot estimate.
        cel: `'${TOO_LONG}' + [${roomBehind(roles)}][${suffixCel('self')}] + ' characters'`,
        of: (job) => `${TOO_LONG}${LONGEST_DNS_LABEL - suffixLength(job)} characters`,
      },
      optionalOldSelf: true,
    },
  ];
}

/** CEL list: the longest name, by the number of characters that follow it in a pod's name. */
function roomBehind<T>(roles: readonly RoleSize<T>[]): string {
  const longestSuffix = Math.max(...roles.map(({ role }) => replicaName('', role, LARGEST_INDEX).length));
  return Array.from({ length: longestSuffix + 1 }, (_, suffix) => `'${LONGEST_DNS_LABEL - suffix}'`).join(', ');
}

function roleSuffixCel<T>({ role, cel }: RoleSize<T>, job: string): string {
  const pods = cel(job);
  return `(${pods} > 0 ? ${role.length + 2} + string(${pods} - 1).size() : 0)`;
}
