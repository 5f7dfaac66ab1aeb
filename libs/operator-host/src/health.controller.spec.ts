import { afterEach, describe, expect, it } from 'vitest';
import type { INestApplication } from '@nestjs/common';
import type { JobOperator } from '@muster/common-job-controller';
import { NestFactory } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { EventLoopLag } from './event-loop-lag.ts';
import { HealthController } from './health.controller.ts';
import { OperatorLifecycle } from './operator-lifecycle.ts';
import { JOB_OPERATOR } from './tokens.ts';

let nest: INestApplication | undefined;

afterEach(async () => {
  await nest?.close();
});

/** Status and what is wrong, as `path` answers it with this operator and this lag. */
async function answer(path: string, state: { problems?: string[]; sickness?: string[]; lagMs?: number }) {
  const operator: Pick<JobOperator, 'sickness'> = { sickness: () => state.sickness ?? [] };
  class TestModule {}
  nest = await NestFactory.create(
    {
      module: TestModule,
      imports: [TerminusModule.forRoot({ logger: false })],
      controllers: [HealthController],
      providers: [
        { provide: JOB_OPERATOR, useValue: operator },
        { provide: OperatorLifecycle, useValue: { problems: () => state.problems ?? [] } },
        { provide: EventLoopLag, useValue: { takeWorstMs: () => state.lagMs ?? 0 } },
      ],
    },
    { logger: false, abortOnError: false },
  );
  await nest.listen(0, '127.0.0.1');
  const response = await fetch(`${await nest.getUrl()}${path}`);
  const { error } = (await response.json()) as { error: Record<string, { problems: string[] }> };
  return { status: response.status, problems: Object.values(error).flatMap(({ problems }) => problems) };
}

describe('/readyz', () => {
  it.each([
    ['ready when there is no problem', {}, 200, []],
    ['not ready while there are problems, which it lists', { problems: ['a', 'b'] }, 503, ['a', 'b']],
    ['ready even if the process is sick: that is the other probe', { sickness: ['stuck'] }, 200, []],
  ])('is %s', async (_name, state, status, problems) => {
    expect(await answer('/readyz', state)).toEqual({ status, problems });
  });
});

describe('/healthz', () => {
  it.each([
    ['alive when nothing is wrong', {}, 200, []],
    ['alive while there are problems that a restart does not mend', { problems: ['no CRD'] }, 200, []],
    ['sick when the operator says so', { sickness: ['renewals are stuck'] }, 503, ['renewals are stuck']],
    ['alive when the event loop is a little late', { lagMs: 1000 }, 200, []],
    [
      'sick when the event loop stood still',
      { lagMs: 1001 },
      503,
      ['the event loop stood still for 1001 ms; 1000 ms is the limit'],
    ],
  ])('is %s', async (_name, state, status, problems) => {
    expect(await answer('/healthz', state)).toEqual({ status, problems });
  });
});
