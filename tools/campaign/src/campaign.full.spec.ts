/** Ten minutes of a campaign with all kinds and a fixed seed, and jobs of up to 500 pods. */
import { join } from 'node:path';
import { silentProgress } from '@muster/cluster';
import { FRAMEWORKS, type FrameworkName } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { FAULTS, type FaultName } from './faults/random-faults.ts';
import { recordsOf } from './run/records.ts';
import { reportOf } from './run/report.ts';
import { onCampaignCluster, runCampaign, type RunSettings } from './run/run-campaign.ts';

const SETTINGS: RunSettings = {
  ...{
    seed: 20_261_128,
    minutes: 10,
    frameworks: Object.keys(FRAMEWORKS) as FrameworkName[],
    jobs: 200,
    mostPods: 100,
    hasLarge: true,
  },
  faults: (Object.keys(FAULTS) as FaultName[]).filter((name) => name !== 'queue-quota'),
  folder: join(import.meta.dirname, '../../../reports/campaign/full'),
};
const LIMIT_MS = 3_600_000;

describe('a campaign of ten minutes with all kinds', () => {
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
      expect(new Set(result.faults.map(({ fault }) => fault)).size).toBe(SETTINGS.faults.length);
    },
    LIMIT_MS,
  );
});
