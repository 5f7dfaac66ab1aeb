import type { Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { imageProblem } from './pod-problem.ts';

const CREATED = '2026-01-01T00:00:00Z';
const createdMs = Date.parse(CREATED);

function waiting(reason: string, where: 'containerStatuses' | 'initContainerStatuses' = 'containerStatuses'): Pod {
  const container = {
    name: 'c',
    image: 'some/image',
    imageID: '',
    ready: false,
    restartCount: 0,
    state: { waiting: { reason, message: 'no such host' } },
  };
  return { metadata: { name: 'job-worker-0', creationTimestamp: CREATED }, status: { [where]: [container] } };
}

describe('imageProblem', () => {
  it('names pod, image, reason and next step', () => {
    const problem = imageProblem([waiting('ErrImageNeverPull')], createdMs);
    for (const text of ['some/image', 'job-worker-0', 'ErrImageNeverPull: no such host', '--image <image>']) {
      expect(problem).toContain(text);
    }
  });

  it('tolerates pull errors for a minute', () => {
    expect(imageProblem([waiting('ImagePullBackOff')], createdMs + 59_000)).toBeUndefined();
    expect(imageProblem([waiting('ErrImagePull')], createdMs + 61_000)).toContain('ErrImagePull');
  });

  it('checks init containers, and ignores other waiting reasons', () => {
    expect(imageProblem([waiting('InvalidImageName', 'initContainerStatuses')], createdMs)).toBeDefined();
    expect(imageProblem([waiting('ContainerCreating')], createdMs + 600_000)).toBeUndefined();
  });
});
