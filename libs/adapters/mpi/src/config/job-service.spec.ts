/** The Service that gives pods of a v2beta1 job their DNS names. */
import { planJob, type World } from '@muster/common-job-controller';
import { planned, type Planned } from '@muster/common-job-controller/testing';
import { SERVICES, type MPIJob, type Service } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { worldOf } from '../../test-support/mpi-world.ts';
import { mpiAdapter } from '../mpi-adapter.ts';

const SETTINGS = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;

/** For a job with one worker and no other objects than `others`. */
function planOf(name: string, others: (job: World<MPIJob>) => Partial<World<MPIJob>> = () => ({})): Planned {
  const world = worldOf({ generation: 'v2beta1', workers: 1 });
  const { metadata } = world.manifest;
  const renamed = { ...world, manifest: { ...world.manifest, metadata: { ...metadata, name } } };
  return planned(planJob(mpiAdapter(), { ...renamed, ...others(renamed) }, SETTINGS));
}

function namesIn({ ownedResources, create }: Planned) {
  const made = (kind: string) => ownedResources.create.filter(({ resource }) => resource.kind === kind);
  const [configMap] = made('ConfigMap').map(({ object }) => object as { data?: Record<string, string> });
  return {
    services: made('Service').map(({ object }) => object.metadata?.name),
    hostfile: configMap?.data?.hostfile,
    pods: create.pods.map(({ spec }) => [spec?.hostname, spec?.subdomain, spec?.dnsConfig?.searches]),
  };
}

const under = (job: string, service: string, isThere = false) => ({
  services: isThere ? [] : [service],
  hostfile: `${job}-worker-0.${service}.team.svc slots=1\n`,
  pods: [[`${job}-worker-0`, service, [`${service}.team.svc.cluster.local`]]],
});

const TAKEN = {
  verb: 'Create',
  kind: 'Service',
  reason: 'NameTaken',
  message: 'Service pi already exists and is controlled by TFJob pi',
  isOptional: false,
  generation: 1,
} as const;

describe('the Service of a v2beta1 job', () => {
  it('has the name of the job', () => {
    expect(namesIn(planOf('pi'))).toEqual(under('pi', 'pi'));
  });

  it.each(['mnist-worker-0', 'mnist-launcher'])('has another name if %s could be the pod of another job', (job) => {
    expect(namesIn(planOf(job))).toEqual(under(job, `${job}-11111111`));
  });

  it("has another name if a foreign Service has the job's, and the job does not wait for it", () => {
    const writeFailures = [{ ...TAKEN, names: new Set(['pi']), waitMs: 2000 }];
    const plan = planOf('pi', () => ({ writeFailures }));
    expect(namesIn(plan)).toEqual(under('pi', 'pi-11111111'));
    expect(plan.status?.conditions?.map(({ type }) => type)).toEqual(['Created']);
  });

  it('keeps its current name', () => {
    const job = 'mnist-worker-0';
    const plan = planOf(job, (world) => {
      const { ownedResources } = planOf(job);
      const wanted = ownedResources.create.find(({ resource }) => resource === SERVICES)?.object as Service;
      const service = { ...wanted, metadata: { ...wanted.metadata, name: job } };
      const [kind] = (mpiAdapter().ownedResources?.kinds ?? []).filter(({ resource }) => resource === SERVICES);
      return { ...world, services: [service], ownedResources: kind ? [{ kind, object: service }] : [] };
    });
    expect(namesIn(plan)).toEqual(under(job, job, true));
  });
});
