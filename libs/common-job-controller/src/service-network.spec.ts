import { ANNOTATIONS, type PodSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { jobOf } from '../test-support/plain-world.ts';
import { serviceNetwork, type ServiceNetworkQuestion } from './service-network.ts';

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
  };
  return serviceNetwork(question).mode;
}

describe('the Services of a new job', () => {
  it.each<[string, string, Partial<PodSpec>, Record<string, string>]>([
    ['one per job unless told otherwise', 'PerJob', {}, {}],
    ['one per replica where the template has a subdomain of its own', 'PerReplica', { subdomain: 'train' }, {}],
    ['one per replica where the template has a hostname of its own', 'PerReplica', { hostname: 'node' }, {}],
    ['what the job asks for, all the same', 'PerJob', { subdomain: 'train' }, { [ANNOTATIONS.serviceMode]: 'PerJob' }],
  ])('are %s', (_what, mode, names, annotations) => {
    expect(modeOf(names, annotations)).toBe(mode);
  });
});
