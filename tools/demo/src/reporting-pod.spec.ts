import type { Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { reportingPod, type Reporter } from './reporting-pod.ts';

function pod(name: string, role: string, createdMinute = 0, phase = 'Running'): Pod {
  const creationTimestamp = new Date(Date.UTC(2026, 0, 1, 0, createdMinute)).toISOString();
  return { metadata: { name, labels: { role }, creationTimestamp }, status: { phase } };
}

const named: Reporter = { pod: 'worker-0', container: 'c' };
const labelled: Reporter = { pod: { role: 'launcher' }, container: 'c' };

describe('reportingPod', () => {
  it('finds a pod of the job by its name, and ignores similar names', () => {
    const pods = [pod('other-job-worker-0', 'worker'), pod('job-worker-10', 'worker'), pod('job-worker-0', 'worker')];
    expect(reportingPod(pods, 'job', named)?.metadata?.name).toBe('job-worker-0');
    expect(reportingPod(pods.slice(0, 2), 'job', named)).toBeUndefined();
  });

  it('finds a pod by its labels, whatever its name', () => {
    const pods = [pod('job-worker-0', 'worker'), pod('job-launcher-x7k2p', 'launcher')];
    expect(reportingPod(pods, 'job', labelled)?.metadata?.name).toBe('job-launcher-x7k2p');
    expect(reportingPod(pods.slice(0, 1), 'job', labelled)).toBeUndefined();
  });

  it('selects the newest attempt in any order', () => {
    const pods = [pod('first', 'launcher', 1, 'Failed'), pod('third', 'launcher', 3), pod('second', 'launcher', 2)];
    expect(reportingPod(pods, 'job', labelled)?.metadata?.name).toBe('third');
    expect(reportingPod(pods.toReversed(), 'job', labelled)?.metadata?.name).toBe('third');
  });

  it('ignores a pod without a log', () => {
    const pods = [pod('first', 'launcher', 1, 'Failed'), pod('second', 'launcher', 2, 'Pending')];
    expect(reportingPod(pods, 'job', labelled)?.metadata?.name).toBe('first');
    expect(reportingPod([pod('job-worker-0', 'worker', 0, 'Pending')], 'job', named)).toBeUndefined();
  });
});
