/** One minute of a campaign with a fixed seed, on a cluster of its own. */
import { join } from 'node:path';
import { silentProgress } from '@muster/cluster';
import { describe, expect, it } from 'vitest';
import { FAULTS, type FaultName } from './faults/random-faults.ts';
import { recordsOf } from './run/records.ts';
import { reportOf } from './run/report.ts';
import { onCampaignCluster, runCampaign, type RunSettings } from './run/run-campaign.ts';

const SETTINGS: RunSettings = {
  ...{ seed: 20_261_127, minutes: 1, frameworks: ['pytorch-elastic', 'mpi'], jobs: 40, mostPods: 12 },
  faults: (Object.keys(FAULTS) as FaultName[]).filter((name) => name !== 'queue-quota'),
  folder: join(import.meta.dirname, '../../../reports/campaign/ci'),
};
/** The waits at the end have limits of their own: this one only ends a run that hangs. */
const LIMIT_MS = 1_800_000;

describe('a campaign of one minute', () => {
  it(
    'violates no invariant',
    async () => {
      const result = await onCampaignCluster(`campaign-${process.pid}`, silentProgress, (cluster) =>
        runCampaign(cluster, SETTINGS, silentProgress),
      );
      expect(
        result.violations,
        [reportOf(result), ...recordsOf(SETTINGS.folder, result.violations)].join('\n'),
      ).toEqual([]);
      expect(result.jobs).toBe(SETTINGS.jobs);
      expect(result.operatorWrites).toBeGreaterThan(SETTINGS.jobs);
    },
    LIMIT_MS,
  );
});
