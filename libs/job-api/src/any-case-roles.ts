/**
 * Maps of roles whose names may be written in any case: Kubeflow's operator matches those of TFJob and MXJob so. Other
 * than there, a name that is no role is refused, and so is a role that is named twice.
 */
import * as z from 'zod';
import { LONGEST_DNS_LABEL, replicaName, type NameSuffix } from './job-name.ts';
import { MOST_REPLICAS, replicaSpecSchema, type ReplicaSpec, type RoleRules } from './replica-spec.ts';
import { unlessBrokenBefore, withRules, type Rule } from './rule.ts';

export type ReplicaSpecs = Readonly<Record<string, ReplicaSpec>>;

export interface AnyCaseRoles extends Omit<RoleRules, 'leastReplicas'> {
  /** Whether a role may be named and yet have no pods. Default 0: it may. */
  readonly leastReplicas?: RoleRules['leastReplicas'];
  readonly kind: string;
  /** The field of the spec that holds the map. */
  readonly field: string;
  /** As the status spells them. */
  readonly roles: readonly string[];
}

/** The role's part of the map, and the name that it has there. */
export function roleIn(specs: ReplicaSpecs, role: string): { name: string; spec: ReplicaSpec } | undefined {
  const [found] = Object.entries(specs).filter(([name]) => name.toLowerCase() === role.toLowerCase());
  return found && { name: found[0], spec: found[1] };
}

/** How many replicas of the roles the map asks for together. */
export function replicasIn(specs: ReplicaSpecs, ...roles: readonly string[]): number {
  return roles.reduce((sum, role) => {
    const found = roleIn(specs, role);
    return sum + (found === undefined ? 0 : (found.spec.replicas ?? 1));
  }, 0);
}

/** The same in CEL, `specs` being an expression for the map. */
export function replicasCel(specs: string, ...roles: readonly string[]): string {
  const known = roles.map((role) => `'${role.toLowerCase()}'`).join(', ');
  return `${specs}.filter(r, r.lowerAscii() in [${known}]).map(r, ${specs}[r].?replicas.orValue(1)).sum()`;
}

export function anyCaseReplicaSpecs({ kind, roles, leastReplicas = 0, ...rules }: AnyCaseRoles) {
  const lower = roles.map((role) => role.toLowerCase());
  const names = `${roles.slice(0, -1).join(', ')} and ${roles.at(-1)}`;
  const nameOnce: Rule<ReplicaSpecs>[] = [
    {
      cel: `self.all(r, r.lowerAscii() in [${lower.map((role) => `'${role}'`).join(', ')}])`,
      holds: (self) => Object.keys(self).every((role) => lower.includes(role.toLowerCase())),
      message: `the only roles of ${kind.startsWith('M') ? 'an' : 'a'} ${kind} are ${names}, in upper or lower case`,
    },
    {
      cel: 'self.all(a, self.exists_one(b, a.lowerAscii() == b.lowerAscii()))',
      holds: (self) => new Set(Object.keys(self).map((role) => role.toLowerCase())).size === Object.keys(self).length,
      message: 'a role is named twice, in different case: keep one',
    },
  ];
  const specs = z.record(z.string(), replicaSpecSchema({ ...rules, leastReplicas })).meta({ maxProperties: 10 });
  return withRules(specs, unlessBrokenBefore(nameOnce));
}

/** At most one replica of `role`, which others look for under the name of its first. */
export function atMostOne<Spec>(field: keyof Spec & string, role: string, message: string): Rule<Spec>[] {
  const specsOf = (self: Spec) => (self[field] ?? {}) as ReplicaSpecs;
  const isExact = (self: Spec) => Object.hasOwn(specsOf(self), role);
  const rule = { message: `must be 1: ${message}`, reason: 'FieldValueForbidden' } as const;
  // A rule can name one field only, and the API server knows no path into a map that is not spelled out.
  return [
    {
      ...rule,
      cel: `self.?${field}[?'${role}'].?replicas.orValue(1) <= 1`,
      holds: (self) => !isExact(self) || replicasIn(specsOf(self), role) <= 1,
      at: [field, role, 'replicas'],
    },
    {
      ...rule,
      message: `replicas of ${role} ${rule.message}`,
      cel: `!has(self.${field}) || '${role}' in self.${field} || ${replicasCel(`self.${field}`, role)} <= 1`,
      holds: (self) => isExact(self) || replicasIn(specsOf(self), role) <= 1,
      at: [field],
    },
  ];
}

/**
 * For the rules on the job's name. Jobs from before the schema may lack the map. Where only the pods of one role have an
 * index in their names, that role is `indexed`, and the others are left out of account.
 */
export function suffixOfSpecs<Job>(
  field: string,
  specsOf: (job: Job) => ReplicaSpecs,
  indexed?: string,
): NameSuffix<Job> {
  const counts = (role: string) => indexed === undefined || role.toLowerCase() === indexed.toLowerCase();
  const othersCel = indexed === undefined ? '' : `r.lowerAscii() != '${indexed.toLowerCase()}' || `;
  const specs = `self.spec.${field}`;
  const replicas = `${specs}[r].?replicas.orValue(1)`;
  const suffix = `r.size() + 2 + ${digitsCel(replicas)}`;
  // Of a role that the job had not, 0.
  const before = `oldSelf.value().?spec.?${field}[?r].optMap(s, s.?replicas.orValue(1)).orValue(0)`;
  return {
    of: (job) =>
      Math.max(
        0,
        ...Object.entries(specsOf(job)).map(([role, { replicas: pods = 1 }]) =>
          counts(role) && pods > 0 ? replicaName('', role, pods - 1).length : 0,
        ),
      ),
    // For each role by itself: the greatest of them all would cost more than the API server allows.
    fitsCel:
      `!has(self.spec) || !has(${specs}) || ${specs}.all(r, ${othersCel}${replicas} < 1 || ` +
      `self.metadata.name.size() + ${suffix} <= ${LONGEST_DNS_LABEL} || (oldSelf.hasValue() && ${before} >= ${replicas}))`,
  };
}

/** How many digits the last index of so many replicas has. By comparisons: what a text of it costs, nobody can estimate. */
function digitsCel(replicas: string): string {
  const longest = String(MOST_REPLICAS - 1).length;
  const steps = Array.from({ length: longest - 1 }, (_, index) => `${replicas} <= ${10 ** (index + 1)} ? ${index + 1}`);
  return `(${steps.join(' : ')} : ${longest})`;
}
