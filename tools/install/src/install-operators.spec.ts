import { FRAMEWORKS } from '@muster/job-api';
import { silentProgress, type Cluster } from '@muster/cluster';
import { expect, it } from 'vitest';
import { earlierChart } from '../test-support/earlier-chart.ts';
import { installOperators, operatorValues } from './install-operators.ts';

const simulated = { name: 'muster', node: 'simulated', kubeconfig: '/none' } as Cluster;
const options = { cluster: simulated, progress: silentProgress };

it('names the existing frameworks for an unknown one', async () => {
  await expect(installOperators(['caffe'], options)).rejects.toThrow(
    `Unknown framework "caffe": choose from ${Object.keys(FRAMEWORKS).join(', ')}.`,
  );
});

it('says that simulated nodes cannot run operators, and what can', async () => {
  await expect(operatorValues('mpi', options)).rejects.toThrow(
    'start the cluster with --node real, or run "npx muster operator <framework>"',
  );
});

it('has an earlier chart of each framework, to upgrade from', () => {
  for (const framework of ['tensorflow', 'pytorch-elastic', 'mxnet', 'mpi', 'ray'])
    expect(earlierChart(framework)).toMatch(new RegExp(`/${framework}-[0-9.]+\\.tgz$`));
});
