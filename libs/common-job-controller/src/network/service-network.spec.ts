import { ANNOTATIONS, type PodSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { jobOf } from '../../test-support/plain-world.ts';
import { serviceNetwork, type ServiceNetworkQuestion } from './service-network.ts';

const CROWDED = { searches: Array.from({ length: 32 }, (_search, index) => `zone-${index}.example`) };

/** The mode of a new job whose pods' templates say this of names. */
function modeOf(names: Partial<PodSpec>, annotations: Record<string, string> = {}): string {
  const job = jobOf({ roles: [{ name: 'Worker', replicas: 2 }], annotations });
  const roles = job.roles.map((role) => ({
    ...role,
    template: { ...role.template, spec: { containers: [], ...role.template.spec, ...names } },
  }));
  const question: ServiceNetworkQuestion = {
    job: { ...job, roles },
    services: [],
    pods: [],
    takenServices: new Set(),
    addressed: new Set(),
    defaultMode: 'PerJob',
    clusterDomain: 'cluster.local',
  };
  return serviceNetwork(question).mode;
}

describe('the Services of a new job', () => {
  it.each<[string, string, Partial<PodSpec>, Record<string, string>]>([
    ['one per job unless told otherwise', 'PerJob', {}, {}],
    ['one per replica where the template has a subdomain of its own', 'PerReplica', { subdomain: 'train' }, {}],
    ['one per replica where the template has a hostname of its own', 'PerReplica', { hostname: 'node' }, {}],
    [
      'one per replica where the template leaves no room for a DNS search entry',
      'PerReplica',
      { dnsConfig: CROWDED },
      {},
    ],
    ['one per job where it leaves room for one', 'PerJob', { dnsConfig: { searches: CROWDED.searches.slice(1) } }, {}],
    ['what the job asks for, all the same', 'PerJob', { subdomain: 'train' }, { [ANNOTATIONS.serviceMode]: 'PerJob' }],
    ['what the job asks for, room or not', 'PerJob', { dnsConfig: CROWDED }, { [ANNOTATIONS.serviceMode]: 'PerJob' }],
  ])('are %s', (_what, mode, names, annotations) => {
    expect(modeOf(names, annotations)).toBe(mode);
  });
});

describe("the name of a job's own Service", () => {
  const serviceOf = (name: string, having: Partial<ServiceNetworkQuestion> = {}) => {
    const job = jobOf({ roles: [{ name: 'Worker', replicas: 2 }] });
    const metadata = { ...job.metadata, name, uid: '1234abcd-0000-0000-0000-000000000000' };
    const nobody = { services: [], pods: [], takenServices: new Set<string>(), addressed: new Set<string>() };
    return serviceNetwork({
      job: { ...job, metadata },
      ...nobody,
      defaultMode: 'PerJob',
      clusterDomain: 'cluster.local',
      ...having,
    }).jobService;
  };

  it.each(['train', 'train-0', 'worker-0', 'train-worker', 'train-worker-0-eval', 'train-worker-x', 'train-worker-01'])(
    'of job %s is that of the job',
    (name) => {
      expect(serviceOf(name)).toBe(name);
    },
  );

  it.each([
    ...['train-worker-0', 'train-worker-12', 'train-master-0', 'train-chief-0', 'train-ps-3', 'train-evaluator-0'],
    ...['train-scheduler-0', 'train-server-1', 'train-tunertracker-0', 'train-launcher'],
  ])('of job %s, which could be a pod of another job, is one that only it can have', (name) => {
    expect(serviceOf(name)).toBe(`${name}-1234abcd`);
  });

  it('stays what it is where the job has pods already', () => {
    const pods = [{ metadata: {}, spec: { containers: [], subdomain: 'train-worker-0' } }];
    expect(serviceOf('train-worker-0', { pods })).toBe('train-worker-0');
  });
});
