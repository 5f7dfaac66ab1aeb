import type { Pod, PodSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { adviceOnEarlierTemplate } from './earlier-template.ts';

const spec = (container: object = {}, rest: object = {}): PodSpec => ({
  containers: [{ name: 'pytorch', image: 'a:1', ...container }],
  ...rest,
});
const pod = (name: string, of: PodSpec): Pod => ({ metadata: { name }, spec: of });
const requests = (cpu: string | number) => spec({ resources: { requests: { cpu } } });

const PULL = { reason: 'ErrImagePull', message: 'not found', container: 'pytorch' };
const NO_NODE = { reason: 'Unschedulable', message: "1 node(s) didn't match Pod's node affinity/selector." };
const NO_ROOM = { reason: 'Unschedulable', message: '0/1 nodes are available: 1 Insufficient cpu.' };

describe('the next step for pods that were created before their template was corrected', () => {
  it.each<[field: string, trouble: typeof PULL | typeof NO_NODE, was: PodSpec, is: PodSpec, text: string]>([
    ['an image', PULL, spec(), spec({ image: 'a:2' }), 'image (a:1), and new pods get that of the manifest (a:2)'],
    [
      'a node selector',
      NO_NODE,
      spec({}, { nodeSelector: { gpu: 'a100' } }),
      spec(),
      'nodeSelector (gpu=a100), and new pods get that of the manifest (unset)',
    ],
    [
      'a request',
      NO_ROOM,
      requests(400),
      requests('100m'),
      'resources.requests[cpu] (400), and new pods get that of the manifest (100m)',
    ],
  ])('names %s', (_field, trouble, was, is, text) => {
    const pods = [pod('mnist-worker-0', was), pod('mnist-worker-1', was), pod('mnist-worker-2', is)];
    expect(adviceOnEarlierTemplate(is, { ...trouble, pods }, 2)).toEqual([
      `Delete the pods: they have an earlier ${text}`,
      'kubectl delete pod mnist-worker-0 mnist-worker-1',
    ]);
  });

  it('is empty if the manifest was never edited', () => {
    const pods = [pod('mnist-worker-0', spec({ image: 'mirror.example/a:1' }))];
    expect(adviceOnEarlierTemplate(spec(), { ...PULL, pods }, 1)).toEqual([]);
  });

  it.each<[string, typeof PULL | typeof NO_NODE, PodSpec, PodSpec]>([
    ['the same image', PULL, spec(), spec()],
    ['the same amount in another form', NO_ROOM, requests(1), requests('1000m')],
    ['another image, but no node', NO_NODE, spec(), spec({ image: 'a:2' })],
    [
      'another image, but a missing Secret',
      { ...PULL, reason: 'CreateContainerConfigError' },
      spec(),
      spec({ image: 'b' }),
    ],
  ])('is empty for pods with %s', (_what, trouble, was, is) => {
    expect(adviceOnEarlierTemplate(is, { ...trouble, pods: [pod('mnist-worker-0', was)] }, 2)).toEqual([]);
  });
});
