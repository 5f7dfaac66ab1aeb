import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../test-support/mpi-models.ts';
import { discoverHosts } from './discover-hosts.ts';
import { hostOf } from './host-names.ts';
import { hostfile } from './hostfile.ts';
import type { MPIGeneration, MPIModel } from '../generations/mpi-model.ts';

const COMPUTES: Partial<MPIModel> = { launcherComputes: true };
const OTHER_DOMAIN: Partial<MPIModel> = { clusterDomain: 'corp.example' };

describe('the host of a pod', () => {
  it.each<[generation: MPIGeneration, pod: 'launcher' | number, others: Partial<MPIModel>, host: string]>([
    ['v2beta1', 'launcher', {}, 'pi-launcher.pi.team.svc'],
    ['v2beta1', 10, {}, 'pi-worker-10.pi.team.svc'],
    ['v2beta1', 1, { serviceName: 'pi-11111111' }, 'pi-worker-1.pi-11111111.team.svc'],
    ['v2beta1', 0, OTHER_DOMAIN, 'pi-worker-0.pi.team.svc.corp.example'],
    ['v2beta1', 'launcher', { ...OTHER_DOMAIN, ...COMPUTES }, 'pi-launcher.pi.team.svc.corp.example'],
    ['v1', 'launcher', COMPUTES, 'pi-launcher'],
    ['v1', 1, OTHER_DOMAIN, 'pi-worker-1'],
    ['v1alpha1', 'launcher', {}, 'pi-launcher'],
    ['v1alpha1', 'launcher', COMPUTES, 'localhost'],
    ['v1alpha1', 0, COMPUTES, 'pi-worker-0'],
  ])('of %s, %s, with %j is %s', (generation, pod, others, host) => {
    expect(hostOf(modelOf(generation, others), pod)).toBe(host);
  });
});

describe('the hostfile', () => {
  it.each<[generation: MPIGeneration, others: Partial<MPIModel>, text: string]>([
    ['v2beta1', {}, 'pi-worker-0.pi.team.svc slots=2\npi-worker-1.pi.team.svc slots=2\n'],
    ['v2beta1', { ...COMPUTES, workers: 1 }, 'pi-launcher.pi.team.svc slots=2\npi-worker-0.pi.team.svc slots=2\n'],
    ['v2beta1', { ...COMPUTES, workers: 0, slots: 8 }, 'pi-launcher.pi.team.svc slots=8\n'],
    ['v2beta1', { ...OTHER_DOMAIN, workers: 1 }, 'pi-worker-0.pi.team.svc.corp.example slots=2\n'],
    ['v2beta1', { implementation: 'Intel' }, 'pi-worker-0.pi.team.svc:2\npi-worker-1.pi.team.svc:2\n'],
    ['v2beta1', { implementation: 'MPICH' }, 'pi-worker-0.pi.team.svc:2\npi-worker-1.pi.team.svc:2\n'],
    ['v1', {}, 'pi-worker-0 slots=2\npi-worker-1 slots=2\n'],
    ['v1', COMPUTES, 'pi-launcher slots=2\npi-worker-0 slots=2\npi-worker-1 slots=2\n'],
    ['v1alpha1', {}, 'pi-worker-0 slots=2\npi-worker-1 slots=2\n'],
    ['v1alpha1', COMPUTES, 'localhost slots=2\npi-worker-0 slots=2\npi-worker-1 slots=2\n'],
    ['v1', { workers: 0 }, ''],
  ])('of %s with %j', (generation, others, text) => {
    expect(hostfile(modelOf(generation, others))).toBe(text);
  });

  it('lists workers by number', () => {
    const lines = hostfile(modelOf('v1', { workers: 12 })).split('\n');
    expect(lines.slice(1, 3)).toEqual(['pi-worker-1 slots=2', 'pi-worker-2 slots=2']);
    expect(lines.slice(9)).toEqual(['pi-worker-9 slots=2', 'pi-worker-10 slots=2', 'pi-worker-11 slots=2', '']);
  });
});

describe('discover_hosts.sh', () => {
  type Case = [
    generation: MPIGeneration,
    running: number[],
    withSlots: boolean,
    others: Partial<MPIModel>,
    text: string,
  ];
  const CASES: Case[] = [
    ['v2beta1', [], false, {}, '#!/bin/sh\n'],
    ['v2beta1', [1, 0], false, {}, '#!/bin/sh\necho pi-worker-0.pi.team.svc\necho pi-worker-1.pi.team.svc\n'],
    ['v2beta1', [1], true, {}, '#!/bin/sh\necho pi-worker-1.pi.team.svc:2\n'],
    ['v2beta1', [0], false, COMPUTES, '#!/bin/sh\necho pi-launcher.pi.team.svc\necho pi-worker-0.pi.team.svc\n'],
    ['v2beta1', [0], false, OTHER_DOMAIN, '#!/bin/sh\necho pi-worker-0.pi.team.svc.corp.example\n'],
    ['v1', [], false, {}, '#!/bin/sh'],
    ['v1', [10, 2], false, {}, '#!/bin/sh\necho pi-worker-2:2\necho pi-worker-10:2'],
    ['v1', [0], true, {}, '#!/bin/sh\necho pi-worker-0:2'],
    ['v1', [], false, COMPUTES, '#!/bin/sh\necho pi-launcher:2\n'],
    ['v1', [1, 0], false, COMPUTES, '#!/bin/sh\necho pi-launcher:2\n\necho pi-worker-0:2\necho pi-worker-1:2'],
  ];

  it.each(CASES)('of %s when %j run, slots %j, with %j', (generation, running, withSlots, others, text) => {
    expect(discoverHosts(modelOf(generation, others), running, withSlots)).toBe(text);
  });

  it('prints one host per line', () => {
    const script = discoverHosts(modelOf('v1', COMPUTES), [0], false);
    expect(execFileSync('sh', ['-c', script]).toString()).toBe('pi-launcher:2\npi-worker-0:2\n');
  });
});
