import { ANNOTATIONS, LABELS, SERVICES } from '@muster/job-api';
import { expect } from 'vitest';
import type { ConformanceCase } from './conformance-case.ts';

const namesake = (order: 'before' | 'after'): ConformanceCase => ({
  name: `a job that is named like a pod of another job and created ${order} it: both run, and neither takes a Service name of the other`,
  concern: 'ownedResources',
  async play(fixture) {
    const job = fixture.plan();
    const other = fixture.plan({ name: job.pods[0] ?? '' });
    for (const each of order === 'before' ? [other, job] : [job, other]) {
      await each.create();
      await each.run();
    }
    // A stopping operator writes its pending events.
    await fixture.restartOperator();
    expect(await job.events()).not.toHaveProperty('NameTaken');
    expect(await other.events()).not.toHaveProperty('NameTaken');
    // A bare peer name is looked up in the namespace first.
    const strangers = (await fixture.list(SERVICES)).filter(
      ({ metadata }) => job.pods.includes(metadata?.name ?? '') && metadata?.labels?.[LABELS.jobName] !== job.name,
    );
    expect(strangers).toEqual([]);
  },
});

/** The API server's limit of DNS search entries in a pod. */
const CROWDED = { searches: Array.from({ length: 32 }, (_search, index) => `zone-${index}.example`) };

const crowded = (mode: string, annotations: Record<string, string>): ConformanceCase => ({
  name: `pods with the maximum number of DNS search entries, ${mode}: they keep them, and the job runs`,
  concern: 'ownedResources',
  async play(fixture) {
    const job = await fixture.job({ podSpec: { dnsConfig: CROWDED }, annotations });
    await job.run();
    for (const { spec } of await job.livePods()) expect(spec?.dnsConfig).toEqual(CROWDED);
  },
});

export const namingCases: readonly ConformanceCase[] = [
  namesake('before'),
  namesake('after'),
  crowded('by default', {}),
  crowded('in mode PerJob', { [ANNOTATIONS.serviceMode]: 'PerJob' }),
];
