import { describe, expect, it } from 'vitest';
import { allocate, type AllocationProblem, type AllocationSettings, type AllocationSpec } from './allocation.ts';

type Limits = Record<string, string>;
type Given = Omit<AllocationSpec, 'template'> & { limits?: Limits };

const SETTINGS: AllocationSettings = {
  gpusPerNode: 8,
  processingUnitsPerNode: 4,
  processingResourceType: 'nvidia.com/gpu',
  launcherComputes: false,
};

function allocationOf({ limits, ...given }: Given, launcherComputes = false) {
  const containers = [{ name: 'train', ...(limits && { resources: { limits } }) }];
  return allocate({ ...given, template: { spec: { containers } } }, { ...SETTINGS, launcherComputes });
}

describe('the allocation', () => {
  it.each<[given: Given, workers: number, units: number, slots: number, limits: Limits]>([
    [{ gpus: 128 }, 16, 8, 8, { 'nvidia.com/gpu': '8' }],
    [{ gpus: 8 }, 1, 8, 8, { 'nvidia.com/gpu': '8' }],
    [{ gpus: 4 }, 1, 4, 4, { 'nvidia.com/gpu': '4' }],
    [{ gpus: 4, gpusPerNode: 2 }, 2, 2, 2, { 'nvidia.com/gpu': '2' }],
    [{ gpus: 4, processingUnitsPerNode: 2 }, 1, 4, 4, { 'nvidia.com/gpu': '4' }],
    [{ gpus: 2, processingResourceType: 'amd.com/gpu' }, 1, 2, 2, { 'amd.com/gpu': '2' }],
    [{ gpus: 16, slotsPerWorker: 1 }, 2, 8, 1, { 'nvidia.com/gpu': '8' }],
    [{ gpus: 8, limits: { 'nvidia.com/gpu': '1' } }, 1, 8, 8, { 'nvidia.com/gpu': '8' }],
    [{ processingUnits: 8, processingResourceType: 'cpu' }, 2, 4, 4, { cpu: '4' }],
    [{ processingUnits: 4, processingResourceType: '' }, 1, 4, 4, { 'nvidia.com/gpu': '4' }],
    [{ processingUnits: 6, processingUnitsPerNode: 2 }, 3, 2, 2, { 'nvidia.com/gpu': '2' }],
    [{ replicas: 16, limits: { 'nvidia.com/gpu': '8' } }, 16, 8, 8, {}],
    [{ replicas: 2, limits: { cpu: '3' } }, 2, 0, 1, {}],
    [{ replicas: 2, processingResourceType: 'cpu', limits: { cpu: '2500m' } }, 2, 2, 2, {}],
    [{ replicas: 2, processingResourceType: 'cpu', limits: { cpu: '500m' } }, 2, 0, 1, {}],
    [{ replicas: 2 }, 2, 0, 1, {}],
    [{ replicas: 3, slotsPerWorker: 5, limits: { 'nvidia.com/gpu': '8' } }, 3, 8, 5, {}],
  ])('of %j is %i workers of %i units and %i slots', (given, workers, units, slots, limits) => {
    expect(allocationOf(given)).toEqual({ workers, units, slots, limits });
  });

  it.each<[given: Given, workers: number]>([
    [{ gpus: 128 }, 15],
    [{ replicas: 16 }, 15],
    [{ gpus: 8 }, 0],
    [{ gpus: 1 }, 0],
    [{ replicas: 1 }, 0],
  ])('of %j, where the launcher computes, is %i workers', (given, workers) => {
    expect(allocationOf(given, true)).toMatchObject({ workers });
  });

  it.each<[given: Given, path: string, message: string]>([
    [{}, 'spec', 'set one of gpus, processingUnits and replicas'],
    [{ slotsPerWorker: 2 }, 'spec', 'set one of gpus, processingUnits and replicas'],
    [{ gpus: 8, replicas: 2 }, 'spec.replicas', 'set either gpus or replicas, not both'],
    [{ gpus: 8, processingUnits: 8 }, 'spec.processingUnits', 'set either gpus or processingUnits, not both'],
    [{ processingUnits: 8, replicas: 1 }, 'spec.replicas', 'set either processingUnits or replicas, not both'],
    [{ gpus: 12 }, 'spec.gpus', '12 cannot be spread over nodes of 8: use a multiple of 8, or set gpusPerNode'],
    [
      { processingUnits: 6 },
      'spec.processingUnits',
      '6 cannot be spread over nodes of 4: use a multiple of 4, or set processingUnitsPerNode',
    ],
    [{ gpus: 0 }, 'spec.gpus', 'must be at least 1'],
    [{ gpus: 8, gpusPerNode: 0 }, 'spec.gpusPerNode', 'must be at least 1'],
    [{ processingUnits: -4 }, 'spec.processingUnits', 'must be at least 1'],
    [{ replicas: 0 }, 'spec.replicas', 'must be at least 1'],
  ])('of %j is refused at %s', (given, path, message) => {
    const problem: AllocationProblem = { path, message };
    expect(allocationOf(given)).toEqual({ problem });
    expect(allocationOf(given, true)).toEqual({ problem });
  });

  it('uses the limits of the first container', () => {
    const containers = [{ name: 'a' }, { name: 'b', resources: { limits: { 'nvidia.com/gpu': '8' } } }];
    expect(allocate({ replicas: 2, template: { spec: { containers } } }, SETTINGS)).toMatchObject({ units: 0 });
  });
});
