import type { Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { operatorProblem } from './operator-trouble.ts';

const OTHER =
  'not ready: another operator runs the same jobs: torch-abc_uuid, with the Lease muster-pytorch in namespace team-a';

const line = (level: string, message: string) =>
  `${JSON.stringify({ time: '2030-01-01T00:00:00Z', level, message })}\n`;

const pod = (status: Pod['status'] = {}, metadata: Pod['metadata'] = {}): Pod => ({
  metadata: { name: 'torch-1', ...metadata },
  status,
});

const troubleOf = (pods: readonly Pod[], log = '') =>
  operatorProblem({ deployment: {}, pods, logs: new Map([['torch-1', log]]) });

describe('operatorTrouble', () => {
  it("shows the last warning of the operator's log", () => {
    const log = `${line('info', 'listening')}${line('warn', 'not ready: caches')}Warning: no JSON\n${line('warn', OTHER)}${line('info', 'after it')}`;
    expect(troubleOf([pod()], log)).toEqual([`Pod torch-1: ${OTHER}`]);
  });

  it('shows what a container waits for', () => {
    const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x"' };
    const status = { containerStatuses: [{ name: 'operator', state: { waiting } }] } as Pod['status'];
    expect(troubleOf([pod(status)])).toEqual([
      'Pod torch-1: operator waits: ImagePullBackOff: Back-off pulling image "x"',
    ]);
  });

  it('shows the last line of a container that has ended', () => {
    const ended = { exitCode: 1, reason: 'Error', message: 'starting\nunknown flag --foo\n' };
    const state = { waiting: { reason: 'CrashLoopBackOff' } };
    const status = {
      containerStatuses: [{ name: 'operator', state, lastState: { terminated: ended } }],
    } as Pod['status'];
    expect(troubleOf([pod(status)])).toEqual([
      'Pod torch-1: operator waits: CrashLoopBackOff',
      'Pod torch-1: operator has ended with exit code 1: unknown flag --foo',
    ]);
  });

  it('shows why a pod has no node', () => {
    const message = '0/1 nodes are available: 1 Insufficient memory.';
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
    expect(troubleOf([pod({ conditions })])).toEqual([`Pod torch-1: Unschedulable: ${message}`]);
  });

  it('shows why there is no pod', () => {
    const conditions = [{ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota: pods' }];
    expect(operatorProblem({ deployment: { status: { conditions } }, pods: [], logs: new Map() })).toEqual([
      'No pod can be created: exceeded quota: pods',
    ]);
  });

  it('ignores pods that are being deleted, and shows nothing without a known cause', () => {
    expect(troubleOf([pod({}, { deletionTimestamp: '2030-01-01T00:00:00Z' })], line('warn', 'old'))).toEqual([]);
    expect(troubleOf([pod()])).toEqual([]);
  });
});
