import { describe, expect, it } from 'vitest';
import { modelOf } from '../../test-support/mpi-models.ts';
import { configFiles } from './config-files.ts';
import { discoverHosts } from './discover-hosts.ts';
import { hostfile } from './hostfile.ts';
import { kubexecScript } from '../access/kubexec.ts';
import type { MPIGeneration } from '../generations/mpi-model.ts';

describe('the files of a job', () => {
  it.each<[generation: MPIGeneration, names: string[]]>([
    ['v2beta1', ['hostfile', 'discover_hosts.sh']],
    ['v1', ['kubexec.sh', 'hostfile', 'discover_hosts.sh']],
    ['v1alpha1', ['kubexec.sh', 'hostfile']],
  ])('of %s are %j', (generation, names) => {
    const model = modelOf(generation, { mainContainer: 'train' });
    const all = {
      'kubexec.sh': kubexecScript(model),
      hostfile: hostfile(model),
      'discover_hosts.sh': discoverHosts(model, [1], true),
    };
    const expected = Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
    expect(configFiles(model, { running: [1], withSlots: true })).toEqual(expected);
  });
});
