import { expect } from 'vitest';
import type { ConformanceCase } from './conformance-case.ts';

const KEY = 'muster.dev/service-mode';

export const annotationCases: readonly ConformanceCase[] = [
  {
    name: 'an invalid annotation value: Failed with reason InvalidSpec until it is corrected',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ annotations: { [KEY]: 'perreplica' } });
      await job.stateToBe('Failed');
      expect(await job.condition('Failed')).toMatchObject({
        reason: 'InvalidSpec',
        message: `metadata.annotations[${KEY}]: Unsupported value: "perreplica": supported values: PerJob, PerReplica`,
      });
      await fixture.settled();
      expect(await job.livePods()).toEqual([]);
      await job.patch({ metadata: { annotations: { [KEY]: 'PerJob' } } });
      await job.run();
      expect(await job.conditions()).not.toContain('Failed=True');
      // A stopping operator writes its pending events.
      await fixture.restartOperator();
      expect((await job.events()).InvalidSpec).toBe(1);
    },
  },
  {
    name: 'an unknown annotation: emitted once with the nearest name, and the job runs',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ annotations: { 'muster.dev/service-modes': 'PerJob' } });
      await job.run();
      await fixture.settled();
      await fixture.stopOperators();
      const ignored = (await fixture.eventsAbout(job.name)).filter(({ reason }) => reason === 'AnnotationIgnored');
      expect(ignored.map(({ type, note, series }) => [type, note, series?.count ?? 1])).toEqual([
        ['Warning', expect.stringContaining(`did you mean ${KEY}?`), 1],
      ]);
      await fixture.startOperator();
    },
  },
];
