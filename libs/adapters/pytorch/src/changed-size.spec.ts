import { newWorld, planJob } from '@muster/common-job-controller';
import { planned } from '@muster/common-job-controller/testing';
import { admitted, pytorchJobDefinition, type PyTorchElasticPolicy } from '@muster/job-api';
import { podsOfRoles, specsOfRoles } from '@muster/testing';
import { expect, it } from 'vitest';
import { pytorchAdapter } from './pytorch-adapter.ts';

interface Change {
  readonly from: string;
  readonly to: string;
  readonly state?: string;
  readonly elasticPolicy?: PyTorchElasticPolicy;
}

function warningsOf({ from, to, state = 'Running', elasticPolicy }: Change, emitted = new Set<string>()) {
  const stored = admitted(pytorchJobDefinition, {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name: 'mnist' },
    spec: { pytorchReplicaSpecs: specsOfRoles('pytorch', { Worker: to }), ...(elasticPolicy && { elasticPolicy }) },
  });
  const metadata = { name: 'mnist', namespace: 'team', uid: 'uid-1', generation: 2, resourceVersion: '1' };
  const status = { state, ready: `${from.length}/${from.length}`, observedGeneration: 1 };
  const manifest = { ...stored, metadata, status };
  const pods = podsOfRoles(manifest, 'pytorch', { Worker: from });
  const world = { ...newWorld(manifest, Date.UTC(2030, 0, 1)), pods, emittedEvents: emitted };
  const plan = planned(planJob(pytorchAdapter(), world, { serviceMode: 'PerJob', clusterDomain: 'cluster.local' }));
  return plan.events.filter(({ reason }) => reason === 'WorldSizeOutdated');
}

it.each<[what: string, Change, warns: boolean]>([
  ['grows, and its pods have the old number', { from: 'RR', to: 'RRR' }, true],
  ['shrinks, and its pods have the old number', { from: 'RRR', to: 'RR' }, true],
  ['does not change', { from: 'RR', to: 'RR' }, false],
  ['has no pods with the old number', { from: 'RR', to: 'RRR', state: 'Suspended' }, false],
  ['is elastic', { from: 'RR', to: 'RRR', elasticPolicy: { minReplicas: 1, maxReplicas: 3 } }, false],
])('warns once of a change if the job %s', (_what, change, warns) => {
  const events = warningsOf(change);
  expect(events.map(({ note }) => note)).toEqual(warns ? [expect.stringContaining('WORLD_SIZE')] : []);
  expect(warningsOf(change, new Set(events.map(({ dedupKey = '' }) => dedupKey)))).toEqual([]);
});
