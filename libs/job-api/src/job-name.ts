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
      optionalOldSelf: true,
    },
    {
      cel:
        `self.metadata.name.size() + ${suffixCel('self')} <= ${LONGEST_DNS_LABEL} || ` +
        `(oldSelf.hasValue() && ${suffixCel('oldSelf.value()')} >= ${suffixCel('self')})`,
      holds: (job) => nameOf(job).length + suffixLength(job) <= LONGEST_DNS_LABEL,
      message: `metadata.name is too long: the longest pod name would have more than ${LONGEST_DNS_LABEL} characters`,
      messageFor: {
        cel:
          `'metadata.name is too long: the longest pod name would have more than ${LONGEST_DNS_LABEL} characters; shorten metadata.name to ' + ` +
          `[${Array.from({length: 20}, (_, i) => `'${LONGEST_DNS_LABEL - i}'`).join(', ')}][${suffixCel('self')}] + ' characters'`,
        of: (job) =>
          `metadata.name is too long: the longest pod name would have ${nameOf(job).length + suffixLength(job)} of at ` +
          `most ${LONGEST_DNS_LABEL} characters; shorten metadata.name to ${LONGEST_DNS_LABEL - suffixLength(job)} characters`,
      },
      optionalOldSelf: true,
    },
  ];
}

function roleSuffixCel<T>({ role, cel }: RoleSize<T>, job: string): string {
  const pods = cel(job);
  return `(${pods} > 0 ? ${role.length + 2} + string(${pods} - 1).size() : 0)`;
}
