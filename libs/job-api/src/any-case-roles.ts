/**
 * Maps of roles whose names are case-insensitive, as in Kubeflow's kinds, except PyTorchJob. Unlike there, unknown and
 * duplicate roles are rejected.
 */
import * as z from 'zod';
import { MAX_DNS_LABEL_LENGTH, replicaName, type NameSuffix } from './job-name.ts';
import { MAX_REPLICAS, replicaSpecSchema, type ReplicaSpec, type RoleRules } from './replica-spec.ts';
import { acceptingExistingViolations, withRules, type Rule } from './rule.ts';

export type ReplicaSpecs = Readonly<Record<string, ReplicaSpec>>;

export interface AnyCaseRoles extends Omit<RoleRules, 'leastReplicas'> {
  /** 0 allows a role without pods. Default 0. */
  readonly leastReplicas?: RoleRules['leastReplicas'];
  readonly kind: string;
  /** The field of the spec that holds the map. */
  readonly field: string;
  /** In the spelling of the status. */
  readonly roles: readonly string[];
}

/** The entry of the role, and its key in the map. */
export function roleIn(specs: ReplicaSpecs, role: string): { name: string; spec: ReplicaSpec } | undefined {
  const [found] = Object.entries(specs).filter(([name]) => name.toLowerCase() === role.toLowerCase());
  return found && { name: found[0], spec: found[1] };
}

/** Sum of the replicas of `roles`. */
export function replicasIn(specs: ReplicaSpecs, ...roles: readonly string[]): number {
  return roles.reduce((sum, role) => {
    const found = roleIn(specs, role);
    return sum + (found === undefined ? 0 : (found.spec.replicas ?? 1));
  }, 0);
}

/** The same as a CEL expression; `specs` is a CEL expression for the map. */
export function replicasCel(specs: string, ...roles: readonly string[]): string {
  const known = roles.map((role) => `'${role.toLowerCase()}'`).join(', ');
  return `${specs}.filter(r, r.lowerAscii() in [${known}]).map(r, ${specs}[r].?replicas.orValue(1)).sum()`;
}

/** With the article of the spoken name: an MXJob, a TFJob. */
const aKind = (kind: string) => `${/^([AEIO]|[FHLMNRSX][A-Z])/.test(kind) ? 'an' : 'a'} ${kind}`;

const listed = (roles: readonly string[]) => `${roles.slice(0, -1).join(', ')} and ${roles.at(-1)}`;

export function anyCaseReplicaSpecs({ kind, roles, leastReplicas = 0, ...rules }: AnyCaseRoles) {
  const lower = roles.map((role) => role.toLowerCase());
  const names =
    roles.length === 1 ? `role of ${aKind(kind)} is ${roles[0]}` : `roles of ${aKind(kind)} are ${listed(roles)}`;
  const nameOnce: Rule<ReplicaSpecs>[] = [
    {
      cel: `self.all(r, r.lowerAscii() in [${lower.map((role) => `'${role}'`).join(', ')}])`,
      holds: (self) => Object.keys(self).every((role) => lower.includes(role.toLowerCase())),
      message: `the only ${names}, in upper or lower case`,
    },
    {
      cel: 'self.all(a, self.exists_one(b, a.lowerAscii() == b.lowerAscii()))',
      holds: (self) => new Set(Object.keys(self).map((role) => role.toLowerCase())).size === Object.keys(self).length,
      message: 'a role is named twice, in different case: keep one',
    },
  ];
  const specs = z.record(z.string(), replicaSpecSchema({ ...rules, leastReplicas })).meta({ maxProperties: 10 });
  return withRules(specs, acceptingExistingViolations(nameOnce));
}

/** At most one replica of `role`: other replicas connect to its index 0. */
export function atMostOne<Spec>(field: keyof Spec & string, role: string, message: string): Rule<Spec>[] {
  const specsOf = (self: Spec) => (self[field] ?? {}) as ReplicaSpecs;
  const isExact = (self: Spec) => Object.hasOwn(specsOf(self), role);
  const rule = { message: `must be 1: ${message}`, reason: 'FieldValueForbidden' } as const;
  // A rule can name only one field, and its path cannot contain a variable map key.
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
 * For the rules on the job's name. Jobs stored before the schema existed may lack the map. If only the pods of one
 * role have an index in their names, that role is `indexed` and the others are ignored.
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
  // 0 if the job did not have the role.
  const before = `oldSelf.value().?spec.?${field}[?r].optMap(s, s.?replicas.orValue(1)).orValue(0)`;
  return {
    of: (job) =>
      Math.max(
        0,
        ...Object.entries(specsOf(job)).map(([role, { replicas: pods = 1 }]) =>
          counts(role) && pods > 0 ? replicaName('', role, pods - 1).length : 0,
        ),
      ),
    // Checks each role separately: a maximum over all roles would exceed the API server's cost limit.
    fitsCel:
      `!has(self.spec) || !has(${specs}) || ${specs}.all(r, ${othersCel}${replicas} < 1 || ` +
      `self.metadata.name.size() + ${suffix} <= ${MAX_DNS_LABEL_LENGTH} || (oldSelf.hasValue() && ${before} >= ${replicas}))`,
  };
}

/** Adds the names of workers that an autoscaler may add. */
export function withElasticWorkers<Job>(
  suffix: NameSuffix<Job>,
  policyOf: (job: Job) => { readonly minReplicas?: number; readonly maxReplicas?: number } | undefined,
): NameSuffix<Job> {
  const mostCel = (job: string) => {
    const policy = `${job}.?spec.?elasticPolicy`;
    return `${policy}.?maxReplicas.or(${policy}.?minReplicas).orValue(1)`;
  };
  const length = `'-worker-'.size() + ${digitsCel(mostCel('self'))}`;
  return {
    ...suffix,
    of: (job) => {
      const { minReplicas = 1, maxReplicas = minReplicas } = policyOf(job) ?? {};
      const ofWorkers = policyOf(job) === undefined ? 0 : replicaName('', 'Worker', maxReplicas - 1).length;
      return Math.max(suffix.of(job), ofWorkers);
    },
    fitsCel:
      `(${suffix.fitsCel}) && (!self.?spec.?elasticPolicy.hasValue() || ` +
      `self.metadata.name.size() + ${length} <= ${MAX_DNS_LABEL_LENGTH} || ` +
      `(oldSelf.hasValue() && ${mostCel('oldSelf.value()')} >= ${mostCel('self')}))`,
  };
}

/**
 * CEL expression for the number of digits of the last index. Uses comparisons: the API server cannot estimate the cost
 * of a conversion to a string.
 */
function digitsCel(replicas: string): string {
  const longest = String(MAX_REPLICAS - 1).length;
  const steps = Array.from({ length: longest - 1 }, (_, index) => `${replicas} <= ${10 ** (index + 1)} ? ${index + 1}`);
  return `(${steps.join(' : ')} : ${longest})`;
}
