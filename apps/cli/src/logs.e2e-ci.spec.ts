/** Logs of pods that a kubelet runs, while the job runs and after its end. */
import { PYTORCH_CONTAINER } from '@muster/job-api';
import { trainingFixture, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { muster as start, type Running } from '../test-support/command-line.ts';

const fixture = await trainingFixture('pytorch-elastic', PYTORCH_CONTAINER);

function begin(args: readonly string[], input = ''): Running {
  return start([...args, '-n', fixture.namespace, '--kubeconfig', fixture.kubeconfig], input);
}

/** A job of three workers that run this script. */
function job(name: string, script: string): string {
  const container = {
    name: PYTORCH_CONTAINER,
    image: 'muster.local/torch-examples:2.6',
    imagePullPolicy: 'IfNotPresent',
    command: ['sh', '-c', script],
    resources: { requests: { cpu: '10m', memory: '16Mi' } },
  };
  const template = { spec: { terminationGracePeriodSeconds: 0, containers: [container] } };
  const roles = { Worker: { replicas: 3, restartPolicy: 'Never', template } };
  const metadata = { name };
  return stringify({
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata,
    spec: { pytorchReplicaSpecs: roles },
  });
}

const STEPS = ['begins', 'goes on', 'is done'];
const linesOf = (rank: number) => STEPS.map((step) => `rank ${rank} ${step}`);
const SCRIPT = STEPS.map((step) => `echo "rank $RANK ${step}"`).join('; sleep 2; ');

describe('the logs of a job', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('can be followed while it runs, merged by time, and read after its end', async () => {
    const sent = begin(['submit', '-f', '-', '--wait'], job('talks', SCRIPT));
    await sent.printed('created');
    const followed = begin(['logs', '-f', 'talks', '--all']);
    const [{ code, out }, all] = await Promise.all([sent.ended, followed.ended]);
    expect({ code, log: out.split('\n').filter((line) => line.startsWith('rank')) }).toEqual({
      code: 0,
      log: linesOf(0),
    });

    expect({ code: all.code, err: all.err }).toEqual({ code: 0, err: '' });
    const merged = all.out.trimEnd().split('\n');
    for (const rank of [0, 1, 2]) {
      const own = merged.filter((line) => line.startsWith(`worker-${rank} | `));
      expect(own).toEqual(linesOf(rank).map((line) => `worker-${rank} | ${line}`));
    }
    expect(merged).toHaveLength(9);

    const afterwards = await begin(['logs', 'talks', '--replica', 'worker-1']).ended;
    expect(afterwards).toEqual({ code: 0, out: `${linesOf(1).join('\n')}\n`, err: '' });
    const tail = await begin(['logs', 'talks', '--role', 'worker', '--tail', '1']).ended;
    expect(tail.out.split('\n').sort().slice(1)).toEqual(
      [0, 1, 2].map((rank) => `worker-${rank} | rank ${rank} is done`),
    );
  });

  it('of the replica that failed first are in the output of muster why', async () => {
    const script = 'echo "rank $RANK begins"; [ "$RANK" = 1 ] && { echo "no data"; exit 3; }; sleep 600';
    const sent = await begin(['submit', '-f', '-', '--wait'], job('breaks', script)).ended;
    expect(sent).toMatchObject({ code: 3, err: expect.stringContaining('breaks has failed') as string });
    const { code, out } = await begin(['why', 'breaks']).ended;
    expect(code).toBe(0);
    expect(out).toMatch(/First to fail: worker-1 \(pod breaks-worker-1 on \S+, container pytorch\)/);
    expect(out.split('\n')[0]).toContain('rank 1 begins | no data');
    expect(out).toContain('  exit code 3\n  The last lines of its log:\n    | rank 1 begins\n    | no data\n');
    expect(out).toContain(`muster logs pytorchjob/breaks --replica worker-1 -n ${fixture.namespace}`);
  });
});
