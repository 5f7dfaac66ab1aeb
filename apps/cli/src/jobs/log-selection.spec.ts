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

describe('the selected replicas', () => {
  it.each<[string, LogSelection, readonly string[]]>([
    ['are the deciding one by default', {}, ['master-0']],
    ['are one by its name', { replica: 'worker-1' }, ['worker-1']],
    ['are one by the name of its pod', { replica: 'mnist-worker-1' }, ['worker-1']],
    ['are those of a role, in any case', { role: 'worker' }, ['worker-0', 'worker-1']],
    ['are all with --all', { all: true }, ['master-0', 'worker-0', 'worker-1']],
    ['are none for an unknown name', { replica: 'worker-7' }, []],
  ])('%s', (_case, selection, names) => {
    const replicas = selectedReplicas(view({ Master: 'R', Worker: 'RR' }), selection);
    expect(replicas.map(({ name }) => name)).toEqual(names);
  });
});

const LIMIT = 'Job mnist has failed because it was active longer than specified deadline';

describe('the error for a selection without pods', () => {
  it.each<[string, ReturnType<typeof view>, LogSelection, string]>([
    [
      'names the policy that deleted the pods of an ended job',
      view({}, 'Succeeded', 'All'),
      { replica: 'worker-1' },
      'The pod of worker-1 of PyTorchJob team/mnist is deleted, with the log, because of cleanPodPolicy All. ' +
        'To keep pods and logs next time, set spec.runPolicy.cleanPodPolicy: None.',
    ],
    [
      'names the limit that ended the job',
      {
        ...view({}, 'Failed'),
        conditions: [{ type: 'Failed', status: 'True', reason: 'PyTorchJobFailed', message: LIMIT }],
      },
      { replica: 'worker-1' },
      'The pod of worker-1 of PyTorchJob team/mnist is deleted, with the log: the job has reached a limit, and its ' +
        'running pods are then deleted under every cleanPodPolicy.\nSee what failed: muster why',
    ],
    [
      'reports that the job is suspended',
      view({}, 'Suspended'),
      {},
      'The pod of master-0 of PyTorchJob team/mnist is deleted: the job is suspended.',
    ],
    [
      'yet',
      view({}, 'Created'),
      {},
      'There is no pod of master-0 of PyTorchJob team/mnist at the moment.\nSee what it waits for: muster why',
    ],
    [
      'lists roles and pods if the replica does not exist',
      view({ Master: 'R' }),
      { replica: 'worker-7' },
      'PyTorchJob team/mnist has no worker-7: its roles are Master, Worker, its pods are master-0.',
    ],
  ])('%s', (_case, job, selection, message) => {
    expect(noPods(job, selection, { title: 'PyTorchJob team/mnist', why: 'muster why' })).toMatchObject({
      exitCode: 5,
      message,
    });
  });
});
