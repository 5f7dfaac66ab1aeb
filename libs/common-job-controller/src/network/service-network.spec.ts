import { ANNOTATIONS, type Pod, type PodSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { jobOf, SETTINGS } from '../../test-support/plain-world.ts';
import { serviceNetwork } from './service-network.ts';

const CROWDED = { searches: Array.from({ length: 32 }, (_search, index) => `zone-${index}.example`) };

function modeOf(names: Partial<PodSpec>, annotations: Record<string, string> = {}): string {
  const job = jobOf({ roles: [{ name: 'Worker', replicas: 2 }], annotations });
  const roles = job.roles.map((role) => ({
    ...role,
    template: { ...role.template, spec: { containers: [], ...role.template.spec, ...names } },
  }));
  const context = { adapter: plainAdapter({}), job: { ...job, roles }, settings: SETTINGS };
  return serviceNetwork(context, { services: [], pods: [], conflictingServices: new Set() })?.mode ?? 'none';
}

describe('the Services of a new job', () => {
  it.each<[string, string, Partial<PodSpec>, Record<string, string>]>([
    ['one per job by default', 'PerJob', {}, {}],
    ['one per replica if the template sets a subdomain', 'PerReplica', { subdomain: 'train' }, {}],
    ['one per replica if the template sets a hostname', 'PerReplica', { hostname: 'node' }, {}],
    ["one per replica if the template's DNS search list is full", 'PerReplica', { dnsConfig: CROWDED }, {}],
    [
      'one per job if the DNS search list has room',
      'PerJob',
      { dnsConfig: { searches: CROWDED.searches.slice(1) } },
      {},
    ],
    [
      'the requested mode, also with a subdomain',
      'PerJob',
      { subdomain: 'train' },
      { [ANNOTATIONS.serviceMode]: 'PerJob' },
    ],
    [
      'the requested mode, also with a full DNS search list',
      'PerJob',
      { dnsConfig: CROWDED },
      { [ANNOTATIONS.serviceMode]: 'PerJob' },
    ],
  ])('are %s', (_what, mode, names, annotations) => {
    expect(modeOf(names, annotations)).toBe(mode);
  });
});

describe("the name of a job's own Service", () => {
  const serviceOf = (name: string, pods: readonly Pod[] = []) => {
    const job = jobOf({ roles: [{ name: 'Worker', replicas: 2 }] });
    const metadata = { ...job.metadata, name, uid: '1234abcd-0000-0000-0000-000000000000' };
    const context = { adapter: plainAdapter({}), job: { ...job, metadata }, settings: SETTINGS };
    return serviceNetwork(context, { services: [], pods, conflictingServices: new Set() })?.jobService;
  };

  it.each(['train', 'train-0', 'worker-0', 'train-worker', 'train-worker-0-eval', 'train-worker-x', 'train-worker-01'])(
    "of job %s is the job's name",
    (name) => {
      expect(serviceOf(name)).toBe(name);
    },
  );

  it.each([
    ...['train-worker-0', 'train-worker-12', 'train-master-0', 'train-chief-0', 'train-ps-3', 'train-evaluator-0'],
    ...['train-scheduler-0', 'train-server-1', 'train-tunertracker-0', 'train-launcher'],
  ])("of job %s, which could be a pod's name of another job, is unique", (name) => {
    expect(serviceOf(name)).toBe(`${name}-1234abcd`);
  });

  it('does not change if the job has pods', () => {
    const pods = [{ metadata: {}, spec: { containers: [], subdomain: 'train-worker-0' } }];
    expect(serviceOf('train-worker-0', pods)).toBe('train-worker-0');
  });
});
