import { specsOfRoles } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { KINDS } from '../kinds.ts';
import { corrected } from './correction.ts';
import { jobView, type JobState } from './job-view.ts';

function viewOf(kindName: string, { state, owner }: { state?: JobState; owner?: [string, string, string] } = {}) {
  const kind = KINDS.find(({ definition }) => definition.resource.kind === kindName)!;
  const [apiVersion = '', ownerKind = '', name = ''] = owner ?? [];
  const ownerReferences = owner && [{ apiVersion, kind: ownerKind, name, uid: 'o', controller: true }];
  const metadata = { name: 'mnist', namespace: 'team', uid: 'uid', ...(ownerReferences && { ownerReferences }) };
  const spec = kindName === 'PyTorchJob' ? { pytorchReplicaSpecs: specsOfRoles('pytorch', { Worker: 'R' }) } : {};
  const manifest = { apiVersion: 'v1', kind: kindName, metadata, spec };
  return { ...jobView(kind, manifest), state };
}

describe('how a correction reaches the cluster', () => {
  const again = 'Raise it. To submit the job again, delete it first';
  it.each([
    [
      'a failed job is deleted before it is submitted again',
      viewOf('PyTorchJob', { state: 'Failed' }),
      [again, 'delete'],
    ],
    [
      'so is a job that waits, because its name is in use',
      viewOf('PyTorchJob', { state: 'Created' }),
      [again, 'delete'],
    ],
    [
      'a RayCluster that runs is changed in place',
      viewOf('RayCluster', { state: 'Running' }),
      ['Raise it', 'kubectl edit'],
    ],
    ['a failed RayCluster is deleted', viewOf('RayCluster', { state: 'Failed' }), [again, 'delete']],
    [
      'a RayJob of a RayCronJob is corrected in the RayCronJob',
      viewOf('RayJob', { state: 'Failed', owner: ['ray.io/v1', 'RayCronJob', 'nightly'] }),
      [
        'Raise it. Correct it in RayCronJob nightly, which creates this RayJob',
        'kubectl edit raycronjob.v1.ray.io nightly',
      ],
    ],
    [
      'a RayCluster of a RayService is corrected in the RayService',
      viewOf('RayCluster', { state: 'Running', owner: ['ray.io/v1', 'RayService', 'llm'] }),
      [
        'Raise it. Correct it in RayService llm, which creates this RayCluster',
        'kubectl edit rayservice.v1.ray.io llm',
      ],
    ],
    [
      'a RayCluster of a RayJob is corrected in the RayJob, which runs once',
      viewOf('RayCluster', { state: 'Created', owner: ['ray.io/v1', 'RayJob', 'tune'] }),
      ['Raise it in RayJob tune. To submit it again, delete it first', 'kubectl delete rayjobs.ray.io tune'],
    ],
    [
      'a job of another controller is corrected there',
      viewOf('PyTorchJob', { state: 'Failed', owner: ['argoproj.io/v1alpha1', 'Workflow', 'pipeline'] }),
      [
        'Raise it. Correct it in Workflow pipeline, which creates this PyTorchJob',
        'kubectl edit workflow.v1alpha1.argoproj.io pipeline',
      ],
    ],
  ])('%s', (_what, view, expected) => {
    expect(corrected(view, 'Raise it')).toEqual(expected);
  });
});
