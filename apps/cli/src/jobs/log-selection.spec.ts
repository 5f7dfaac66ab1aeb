import { podsOfRoles, specsOfRoles } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { KINDS } from '../kinds.ts';
import { jobView } from './job-view.ts';
import { noPods, selectedReplicas, type LogSelection } from './log-selection.ts';

const kind = KINDS.find(({ definition }) => definition.resource.kind === 'PyTorchJob');

function view(there: Record<string, string>, state = 'Running', cleanPodPolicy?: string) {
  if (kind === undefined) throw new Error('PyTorchJob is no kind');
  const specs = specsOfRoles('pytorch', { Master: 'R', Worker: 'RR' });
  const runPolicy = { suspend: false, ...(cleanPodPolicy && { cleanPodPolicy }) };
  const manifest = {
    ...{ apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob', status: { state } },
    metadata: { name: 'mnist', namespace: 'team', uid: 'uid' },
    spec: { runPolicy, pytorchReplicaSpecs: specs },
  };
  return jobView(kind, manifest, podsOfRoles(manifest, 'pytorch', there));
}

describe('of the replicas', () => {
  it.each<[string, LogSelection, readonly string[]]>([
    ['the one that decides is taken', {}, ['master-0']],
    ['one is taken by its name', { replica: 'worker-1' }, ['worker-1']],
    ['one is taken by the name of its pod', { replica: 'mnist-worker-1' }, ['worker-1']],
    ['those of a role are taken, in any case', { role: 'worker' }, ['worker-0', 'worker-1']],
    ['all are taken', { all: true }, ['master-0', 'worker-0', 'worker-1']],
    ['none is taken that is not there', { replica: 'worker-7' }, []],
  ])('%s', (_case, selection, names) => {
    const replicas = selectedReplicas(view({ Master: 'R', Worker: 'RR' }), selection);
    expect(replicas.map(({ name }) => name)).toEqual(names);
  });
});

describe('where there is no pod', () => {
  it.each<[string, ReturnType<typeof view>, LogSelection, string]>([
    [
      'because the job has ended, it is said which policy has it deleted',
      view({}, 'Succeeded', 'All'),
      { replica: 'worker-1' },
      'The pod of worker-1 of PyTorchJob team/mnist is gone, and its log with it: cleanPodPolicy All has it deleted once the job has ended. ' +
        'To keep pods and logs next time, set spec.runPolicy.cleanPodPolicy: None.',
    ],
    [
      'because the job is suspended',
      view({}, 'Suspended'),
      {},
      'The pod of master-0 of PyTorchJob team/mnist is gone: it is suspended.',
    ],
    [
      'yet',
      view({}, 'Created'),
      {},
      'There is no pod of master-0 of PyTorchJob team/mnist yet, or not now.\nSee what it waits for: muster why',
    ],
    [
      'because there is no such replica',
      view({ Master: 'R' }),
      { replica: 'worker-7' },
      'PyTorchJob team/mnist has no worker-7: its roles are Master, Worker, its pods master-0.',
    ],
  ])('%s', (_case, job, selection, message) => {
    expect(noPods(job, selection, { title: 'PyTorchJob team/mnist', why: 'muster why' })).toMatchObject({
      exitCode: 5,
      message,
    });
  });
});
