/** Jobs whose names are close to one another. */
import { LABELS, SERVICES } from '@muster/job-api';
import { expect } from 'vitest';
import type { ConformanceCase } from './conformance-case.ts';

const namesake = (order: 'before' | 'after'): ConformanceCase => ({
  name: `a job that is named like a pod of another, made ${order} it: both run, and neither has a Service that the other needs`,
  async play(stage) {
    const job = stage.plan();
    const other = stage.plan({ name: job.pods[0] ?? '' });
    for (const each of order === 'before' ? [other, job] : [job, other]) {
      await each.create();
      await each.run();
    }
    // An operator that stops writes the events that it has still to write.
    await stage.restartOperator();
    expect(await job.events()).not.toHaveProperty('NameTaken');
    expect(await other.events()).not.toHaveProperty('NameTaken');
    if (stage.framework.hasOwnNetwork === true) return;
    // The bare name of a peer is looked up in the namespace first.
    const strangers = (await stage.list(SERVICES)).filter(
      ({ metadata }) => job.pods.includes(metadata?.name ?? '') && metadata?.labels?.[LABELS.jobName] !== job.name,
    );
    expect(strangers).toEqual([]);
  },
});

export const neighbourCases: readonly ConformanceCase[] = [namesake('before'), namesake('after')];
