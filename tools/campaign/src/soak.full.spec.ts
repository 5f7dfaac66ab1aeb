/** A soak of six minutes with a fixed seed. */
import { join } from 'node:path';
import { silentProgress } from '@muster/cluster';
import { describe, expect, it } from 'vitest';
import { onCampaignCluster, type RunSettings } from './run/run-campaign.ts';
import { soakFailures, soakReport } from './soak/report.ts';
import { runSoak, SOAK_API_SERVER_ARGUMENTS } from './soak/run-soak.ts';

const SETTINGS: RunSettings = {
  ...{ seed: 20_261_127, minutes: 6, frameworks: ['pytorch-elastic', 'mpi'], jobs: 240, mostPods: 12, faults: [] },
  folder: join(import.meta.dirname, '../../../reports/campaign/soak-full'),
};
const LIMIT_MS = 3_600_000;

describe('a soak of six minutes', () => {
  it(
    'leaves nothing that grows with the number of jobs',
    async () => {
      const run = (cluster: Parameters<typeof runSoak>[0]) => runSoak(cluster, SETTINGS, silentProgress);
      const name = `soak-${process.pid}`;
      const result = await onCampaignCluster(name, silentProgress, run, SOAK_API_SERVER_ARGUMENTS);
      expect(soakFailures(result), soakReport(result)).toEqual([]);
      expect(result.jobs).toBe(SETTINGS.jobs);
    },
    LIMIT_MS,
  );
});
