import { specsOfRoles } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { KINDS } from '../kinds.ts';
import { adviceOnEnd, adviceOnProblem } from './advice.ts';
import { jobView } from './job-view.ts';

const kind = KINDS.find(({ definition }) => definition.resource.kind === 'PyTorchJob');

function viewOf(container: object = {}, pod: object = {}) {
  if (kind === undefined) throw new Error('PyTorchJob is no kind');
  const specs = specsOfRoles('pytorch', { Worker: 'R' }) as Record<string, { template: { spec: object } }>;
  const main = { name: 'pytorch', image: 'registry.example/a:1', ...container };
  const Worker = { ...specs['Worker'], template: { spec: { containers: [main], ...pod } } };
  const metadata = { name: 'mnist', namespace: 'team', uid: 'uid' };
  return jobView(kind, {
    ...{ apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob', metadata },
    spec: { pytorchReplicaSpecs: { Worker } },
  });
}

const TEMPLATE = 'spec.pytorchReplicaSpecs.Worker.template.spec';
const DELETE = ' To submit the job again, delete it first';
const CONTAINER = `${TEMPLATE}.containers[0]`;

describe('the next step for a pod that does not start', () => {
  it.each<
    [
      reason: string,
      message: string,
      expected: readonly string[],
      container?: object | undefined,
      pod?: object | undefined,
    ]
  >([
    [
      ...(['ErrImagePull', 'failed to resolve reference "registry.example/a:1"'] as const),
      [
        `Correct ${CONTAINER}.image (registry.example/a:1), or make that image available to the nodes.${DELETE}`,
        'delete',
      ],
    ],
    [
      ...([
        'ErrImagePull',
        'failed to do request: Head "https://registry.example/v2/a": dial tcp: i/o timeout',
      ] as const),
      [
        `Correct ${CONTAINER}.image (registry.example/a:1), or make that image available to the nodes.${DELETE}`,
        'delete',
        'If the image is correct, check the network and the DNS of the nodes: they do not reach its registry',
      ],
    ],
    [
      ...(['ImagePullBackOff', 'pull access denied, repository does not exist or may require authorization'] as const),
      [
        `Create a Secret with the registry's credentials, and add it to ${TEMPLATE}.imagePullSecrets (registry.example/a:1).${DELETE}`,
        'delete',
      ],
    ],
    [
      ...(['CreateContainerConfigError', 'secret "wandb-token" not found'] as const),
      ['Create Secret wandb-token in namespace team; then the pod starts'],
    ],
    [
      ...(['FailedMount', 'MountVolume.SetUp failed for volume "t" : configmap "conf" not found'] as const),
      ['Create ConfigMap conf in namespace team; then the pod starts'],
    ],
    [
      ...(['CreateContainerConfigError', "couldn't find key nothing in ConfigMap team/conf"] as const),
      ['Add the key nothing to ConfigMap conf in namespace team'],
    ],
    [
      ...(['Unschedulable', '0/2 nodes are available: persistentvolumeclaim "imagenet" not found. not found'] as const),
      ['Create PersistentVolumeClaim imagenet in namespace team; then the pod starts'],
    ],
    [
      ...(['Unschedulable', '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.'] as const),
      ['kubectl describe pvc slow'],
      undefined,
      { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'slow' } }] },
    ],
    [
      ...(['Unschedulable', '0/2 nodes are available: 2 Insufficient nvidia.com/gpu. preemption: 0/2'] as const),
      [
        `Lower ${CONTAINER}.resources.limits[nvidia.com/gpu] (8), or add nodes.${DELETE}`,
        'delete',
        'kubectl describe nodes',
      ],
      { resources: { limits: { 'nvidia.com/gpu': 8 } } },
    ],
    [
      ...(['Unschedulable', "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."] as const),
      [
        `Correct ${TEMPLATE}.nodeSelector (gpu=h100), or label a node so that it matches.${DELETE}`,
        'delete',
        'kubectl get nodes --show-labels',
      ],
      undefined,
      { nodeSelector: { gpu: 'h100' } },
    ],
    ['CreateContainerError', 'name is in use', []],
  ])('%s: %s', (reason, message, expected, container, pod) => {
    expect(adviceOnProblem(viewOf(container, pod), { role: 'Worker', reason, message })).toEqual(expected);
  });
});

describe('the next step for a pod of Ray', () => {
  const group = { template: { spec: { containers: [{ name: 'ray', resources: { requests: { cpu: '500' } } }] } } };
  const cluster = { headGroupSpec: group, workerGroupSpecs: [group, { ...group, groupName: 'GPU' }] };
  it.each([
    ['RayCluster', cluster, 'headgroup', 'spec.headGroupSpec'],
    ['RayCluster', cluster, 'gpu', 'spec.workerGroupSpecs[1]'],
    ['RayJob', { rayClusterSpec: cluster }, 'GPU', 'spec.rayClusterSpec.workerGroupSpecs[1]'],
  ])('names the field of a %s', (name, spec, role, path) => {
    const rayKind = KINDS.find(({ definition }) => definition.resource.kind === name)!;
    const view = jobView(rayKind, {
      ...{ apiVersion: 'ray.io/v1', kind: name, metadata: { name: 'tune', namespace: 'team', uid: 'uid' }, spec },
    });
    const trouble = { role, reason: 'Unschedulable', message: '0/10 nodes are available: 10 Insufficient cpu.' };
    const what = `Lower ${path}.template.spec.containers[0].resources.requests[cpu] (500), or add nodes`;
    const expected = name === 'RayCluster' ? [what, 'kubectl edit'] : [`${what}.${DELETE}`, 'delete'];
    expect(adviceOnProblem(view, trouble)).toEqual([...expected, 'kubectl describe nodes']);
  });
});

describe('the next step for a failed container', () => {
  it.each<
    [what: string, end: object, expected: readonly string[], container?: object | undefined, pod?: object | undefined]
  >([
    [
      ...(['too little memory', { exitCode: 137, reason: 'OOMKilled' }] as const),
      [
        `Raise ${CONTAINER}.resources.limits.memory (128Mi) or reduce the memory use of the program.${DELETE}`,
        'delete',
      ],
      { resources: { limits: { memory: '128Mi' } } },
    ],
    [
      ...(['a command that is not there', { exitCode: 128, reason: 'StartError' }] as const),
      [`Correct ${CONTAINER}.command (trian.py) or use an image that contains it.${DELETE}`, 'delete'],
      { command: ['trian.py'] },
    ],
    [
      ...(['a deadline', { reason: 'DeadlineExceeded' }] as const),
      [`Raise ${TEMPLATE}.activeDeadlineSeconds (5).${DELETE}`, 'delete'],
      undefined,
      { activeDeadlineSeconds: 5 },
    ],
    [
      'a full volume',
      { reason: 'Evicted', message: 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ' },
      [`Raise the sizeLimit of the volume scratch in ${TEMPLATE}.volumes (1Mi).${DELETE}`, 'delete'],
    ],
    ['an error of the program', { exitCode: 1, reason: 'Error' }, []],
  ])('%s', (_what, end, expected, container, pod) => {
    expect(adviceOnEnd(viewOf(container, pod), { role: 'Worker', container: 'pytorch', ...end })).toEqual(expected);
  });
});
