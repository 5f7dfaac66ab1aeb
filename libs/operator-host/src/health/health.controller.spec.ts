import type { JobOperator } from '@muster/common-job-controller';
import type { INestApplication } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { afterEach, describe, expect, it } from 'vitest';
import { OperatorLifecycle } from '../operator-lifecycle.ts';
import { ProbeHttpAdapter } from '../probe-http-adapter.ts';
import { JOB_OPERATOR } from '../tokens.ts';
import { CachesIndicator } from './caches-indicator.ts';
import { EventLoopIndicator } from './event-loop-indicator.ts';
import { EventLoopLag } from './event-loop-lag.ts';
import { HealthController } from './health.controller.ts';
import { LeaseIndicator } from './lease-indicator.ts';
import { PermissionsIndicator } from './permissions-indicator.ts';
import { ShutdownIndicator } from './shutdown-indicator.ts';

let nest: INestApplication | undefined;

afterEach(async () => {
  await nest?.close();
});

interface State extends Partial<ReturnType<JobOperator['readiness']>> {
  livenessProblems?: string[];
  lagMs?: number;
  isShuttingDown?: boolean;
}

async function answer(path: string, { livenessProblems = [], lagMs = 0, isShuttingDown = false, ...problems }: State) {
  const operator: Pick<JobOperator, 'readiness' | 'livenessProblems'> = {
    readiness: () => ({ caches: [], lease: [], permissions: [], ...problems }),
    livenessProblems: () => livenessProblems,
  };
  @Module({
    imports: [TerminusModule.forRoot({ logger: false })],
    controllers: [HealthController],
    providers: [
      CachesIndicator,
      LeaseIndicator,
      PermissionsIndicator,
      ShutdownIndicator,
      EventLoopIndicator,
      { provide: JOB_OPERATOR, useValue: operator },
      { provide: OperatorLifecycle, useValue: { isShuttingDown } },
      { provide: EventLoopLag, useValue: { takeWorstMs: () => lagMs } },
    ],
  })
  class TestModule {}
  nest = await NestFactory.create(TestModule, new ProbeHttpAdapter(), {
    logger: false,
    abortOnError: false,
    bodyParser: false,
  });
  await nest.listen(0, '127.0.0.1');
  const response = await fetch(`${await nest.getUrl()}${path}`);
  const { error } = (await response.json()) as { error: Record<string, { problems: string[] }> };
  const down = Object.entries(error).map(([concern, { problems }]) => [concern, problems]);
  return { status: response.status, down: Object.fromEntries(down) as Record<string, string[]> };
}

describe('/readyz', () => {
  it.each<[string, State, number, Record<string, string[]>]>([
    ['ready when there is no problem', {}, 200, {}],
    ['not ready while there are problems, which it lists', { caches: ['a', 'b'] }, 503, { caches: ['a', 'b'] }],
    [
      'not ready for several concerns at once',
      { lease: ['a'], permissions: ['b'] },
      503,
      { lease: ['a'], permissions: ['b'] },
    ],
    [
      'not ready while the operator shuts down',
      { isShuttingDown: true },
      503,
      { shutdown: ['the operator is shutting down'] },
    ],
    [
      'ready even if a restart would help, which /healthz reports',
      { livenessProblems: ['stuck'], lagMs: 1001 },
      200,
      {},
    ],
  ])('is %s', async (_name, state, status, down) => {
    expect(await answer('/readyz', state)).toEqual({ status, down });
  });
});

describe('/healthz', () => {
  it.each<[string, State, number, Record<string, string[]>]>([
    ['alive when nothing is wrong', {}, 200, {}],
    ['alive while there are problems that a restart does not fix', { caches: ['no CRD'], lease: ['other'] }, 200, {}],
    ['alive while the operator shuts down', { isShuttingDown: true }, 200, {}],
    [
      'failing when the operator reports it',
      { livenessProblems: ['renewals are stuck'] },
      503,
      { lease: ['renewals are stuck'] },
    ],
    ['alive when the event loop is a little late', { lagMs: 1000 }, 200, {}],
    [
      'failing when the event loop was blocked',
      { lagMs: 1001 },
      503,
      { 'event-loop': ['the event loop was blocked for 1001 ms; the limit is 1000 ms'] },
    ],
  ])('is %s', async (_name, state, status, down) => {
    expect(await answer('/healthz', state)).toEqual({ status, down });
  });
});
