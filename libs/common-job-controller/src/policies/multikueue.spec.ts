import { crdFor, MANAGED_BY_MULTIKUEUE, pytorchJobDefinition } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { planOf, SETTINGS, worldOf } from '../../test-support/plain-world.ts';
import { planJob } from '../reconcile/plan-job.ts';
import { lostByMultiKueue } from './multikueue.ts';

const failurePolicy = { rules: [] };
const NOTE =
  'spec.runPolicy.failurePolicy: MultiKueue does not copy this field, so the job runs without it in the worker cluster';

describe('a job that MultiKueue runs in another cluster', () => {
  const managedBy = MANAGED_BY_MULTIKUEUE;

  it("gets events for Muster's fields that do not reach that cluster, and no other change", () => {
    const plan = planOf({ runPolicy: { managedBy, failurePolicy, progressDeadlineSeconds: 60 } });
    expect(plan.events).toMatchObject([
      { type: 'Warning', reason: 'SpecWarning', note: NOTE },
      { type: 'Warning', reason: 'SpecWarning', note: expect.stringContaining('progressDeadlineSeconds') as string },
    ]);
    expect([plan.status, plan.create.pods, plan.create.services]).toEqual([undefined, [], []]);
  });

  it.each<[field: string, spec: object]>([
    ['spec.runPolicy.failurePolicy', { runPolicy: { failurePolicy } }],
    ['spec.runPolicy.startOrder', { runPolicy: { startOrder: [] } }],
    ['spec.runPolicy.progressDeadlineSeconds', { runPolicy: { progressDeadlineSeconds: 60 } }],
    ['spec.runPolicy.startDeadlineSeconds', { runPolicy: { startDeadlineSeconds: 60 } }],
    ['spec.runPolicy.lostNodeTimeoutSeconds', { runPolicy: { lostNodeTimeoutSeconds: 60 } }],
    ['spec.elasticPolicy.fitToCapacity', { elasticPolicy: { fitToCapacity: true } }],
  ])('gets one event that names %s, if it sets that field', (field, { runPolicy, ...spec }: { runPolicy?: object }) => {
    const world = worldOf({});
    const manifest = { ...world.manifest, spec: { ...spec, runPolicy: { managedBy, ...runPolicy } } };
    const plan = planJob(plainAdapter({}), { ...world, manifest }, SETTINGS);
    expect([plan.status, plan.writes]).toEqual([undefined, []]);
    expect(plan.events).toMatchObject([
      { type: 'Warning', reason: 'SpecWarning', note: expect.stringMatching(`^${field}: `) as string },
    ]);
  });

  it('gets an event for every field of a run policy that Kubeflow lacks', () => {
    const ofKubeflow = [
      'activeDeadlineSeconds',
      'backoffLimit',
      'cleanPodPolicy',
      'managedBy',
      'schedulingPolicy',
      'suspend',
    ];
    const [version] = crdFor(pytorchJobDefinition).spec.versions;
    const spec = version?.schema?.openAPIV3Schema?.properties?.['spec']?.properties?.['runPolicy']?.properties ?? {};
    const own = Object.keys(spec).filter((field) => ![...ofKubeflow, 'ttlSecondsAfterFinished'].includes(field));
    expect(own.length).toBeGreaterThan(3);
    const { manifest } = worldOf({});
    const runPolicy = { managedBy, ...Object.fromEntries(own.map((field) => [field, 1])) };
    const lost = lostByMultiKueue(plainAdapter({}), { ...manifest, spec: { runPolicy } });
    expect(lost.map(({ path }) => path).sort()).toEqual(own.map((field) => `spec.runPolicy.${field}`).sort());
  });

  it('gets each event once', () => {
    expect(planOf({ runPolicy: { managedBy, failurePolicy }, emittedEvents: [NOTE] }).events).toEqual([]);
  });

  it.each([
    ['sets none of them', { managedBy }],
    ['is managed by another controller', { managedBy: 'example.com/other', failurePolicy }],
  ])('gets no event if it %s', (_name, runPolicy) => {
    expect(planOf({ runPolicy }).events).toEqual([]);
  });
});
