/** Every kind that a release reconciles has a policy, with any values. */
import { FRAMEWORKS, type FrameworkName, type KubeObject } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { rendered, type Values } from '../../test-support/helm.ts';
import { FRAMEWORK_CHARTS } from '../framework-charts.ts';
import { chartValues, type ValueSchema } from '../values/chart-values.ts';
import { leafValues } from '../values/leaf-values.ts';

/** Reconciled by Kubernetes and Kueue. The operator writes those of its jobs. */
const RUN_BY_OTHERS = ['jobs.batch', 'workloads.kueue.x-k8s.io'];

const POLICY = 'ValidatingAdmissionPolicy';

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs?: readonly string[];
}

/** `jobs.batch.volcano.sh` */
const kindsIn = ({ apiGroups = [], resources = [] }: Rule) =>
  apiGroups.flatMap((group) => resources.map((each) => `${each}.${group}`));

/** Kinds whose status the operator may write. */
function servedKinds(objects: readonly KubeObject[]): string[] {
  const rules = objects.flatMap((object) => (object as { rules?: readonly Rule[] }).rules ?? []);
  const statuses = rules.filter(({ verbs = [] }) => verbs.includes('patch')).flatMap(kindsIn);
  const kinds = statuses.filter((each) => each.includes('/status.')).map((each) => each.replace('/status.', '.'));
  return [...new Set(kinds)].filter((each) => !RUN_BY_OTHERS.includes(each)).sort();
}

function governedKinds(objects: readonly KubeObject[]): string[] {
  const policies = objects.filter(({ kind }) => kind === POLICY) as (KubeObject & {
    spec: { matchConstraints: { resourceRules: readonly Rule[] } };
  })[];
  return policies.flatMap(({ spec }) => spec.matchConstraints.resourceRules.flatMap(kindsIn)).sort();
}

interface Setting {
  readonly path: string;
  /** The default is first. */
  readonly choices: readonly unknown[];
}

/** Values that set a flag of the operator and have few choices. */
function settingsOf(framework: FrameworkName): Setting[] {
  const choicesOf = ({ type, enum: choices, default: first }: ValueSchema): readonly unknown[] => {
    const all = type === 'boolean' ? [true, false] : (choices ?? []);
    return [first, ...all.filter((each) => each !== first)];
  };
  return leafValues(chartValues(framework))
    // An operator in shadow mode reconciles no kind.
    .filter(({ path, schema }) => schema.flag !== undefined && path !== 'shadow.enabled')
    .map(({ path, schema }) => ({ path, choices: choicesOf(schema) }))
    .filter(({ choices }) => choices.length > 1);
}

function valuesWith(settings: readonly Setting[], choice: number): Values {
  const values: Record<string, Record<string, unknown>> = { tenancy: { enforceCreatorRights: true } };
  for (const { path, choices } of settings) {
    const [group = '', name = ''] = path.split('.');
    values[group] = { ...values[group], [name]: choices[choice % choices.length] };
  }
  return values;
}

describe.each(Object.keys(FRAMEWORKS) as FrameworkName[])('the release of %s', (framework) => {
  it('has a policy for each kind that it reconciles, with any values', async () => {
    const settings = settingsOf(framework);
    const runsVolcanoJobs = FRAMEWORK_CHARTS[framework].plugin !== undefined;
    expect(settings.some(({ path }) => path === 'operator.volcanoJobs')).toBe(runsVolcanoJobs);
    const seen = new Set<string>();
    for (let choice = 0; choice < Math.max(...settings.map(({ choices }) => choices.length)); choice++) {
      const values = valuesWith(settings, choice);
      const objects = await rendered(framework, values);
      const served = servedKinds(objects);
      expect(governedKinds(objects), JSON.stringify(values)).toEqual(served);
      for (const kind of served) seen.add(kind);
    }
    expect(seen.has('jobs.batch.volcano.sh')).toBe(runsVolcanoJobs);
  });
});
