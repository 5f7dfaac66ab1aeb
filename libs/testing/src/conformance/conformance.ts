/**
 * The conformance suite: behavior that all kinds share, tested with one framework on a real API server. Pods do not run;
 * each case reports their status, as a kubelet would, and advances the operator's clock. Cases have their own namespaces,
 * clocks and operators, so they run concurrently.
 *
 * A framework provides one object, in `libs/adapters/<framework>/src/conformance.integration.spec.ts`:
 *
 *     describeConformance({
 *       resource: TF_JOBS,
 *       crd: crdFor(tfJobDefinition),
 *       operatorName: OPERATOR_NAMES.TFJob,
 *       containerName: 'tensorflow',
 *       workerRole: 'Worker',
 *       manifest: ({ name, namespace, workers, template, restartPolicy, runPolicy, annotations }) => ({ …a TFJob… }),
 *       podNames: (job, workers) => [`${job}-chief-0`, …the workers],
 *       decidingPods: (job) => [`${job}-chief-0`],
 *       startOperator(start) {
 *         const registry = new Registry();
 *         const adapter = { ...tfAdapter(), resource: start.resource };
 *         return started(createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }), registry);
 *       },
 *     });
 *
 * `npm test` runs a case only for kinds whose adapter affects it (`concern.ts`), and the engine's own cases for one kind.
 * With `MUSTER_TEST_CONFORMANCE=all`, as in `npm run e2e:full`, every case runs for every kind.
 *
 * After each case the gauges have to equal the state of the API server, all metrics have to be as declared, no operator
 * may have logged an unexpected error, and third-party clients have to interpret each status correctly
 * (`read-by-clients.ts`).
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { installCrd } from '../install-crd.ts';
import { testCluster } from '../test-cluster.ts';
import type { ConformanceCase } from './conformance-case.ts';
import type { ConformanceFramework } from './conformance-framework.ts';
import { gaugesToAgree, metricsToBeInOrder } from './metrics-agreement.ts';
import { playedCases } from './played-cases.ts';
import { readByClients } from './read-by-clients.ts';
import { Fixture, type FixtureSetting } from './fixture.ts';

const CASE_LIMIT_MS = 300_000;

export async function describeConformance(framework: ConformanceFramework): Promise<void> {
  const cluster = await testCluster();
  beforeAll(() => installCrd(cluster.client, framework.crd));
  const extent = process.env.MUSTER_TEST_CONFORMANCE === 'all' ? 'all' : 'chosen';
  for (const [topic, cases] of Object.entries(playedCases(framework, extent))) {
    if (cases.length === 0) continue;
    describe.concurrent(topic, () => {
      // `it.each` truncates long names, so cases could not be selected by any part of the name.
      for (const each of cases) {
        const { sinceMinor = 0 } = each;
        const { minorVersion } = cluster;
        const isTooOld = minorVersion < sinceMinor;
        const reason = isTooOld ? `since 1.${sinceMinor}` : framework.doesNotApply?.(topic, each.name, minorVersion);
        if (reason !== undefined) it.skip(`${each.name} (does not apply: ${reason})`);
        else it(each.name, { timeout: CASE_LIMIT_MS }, () => play({ framework, cluster }, each));
      }
    });
  }
}

async function play(setting: FixtureSetting, each: ConformanceCase): Promise<void> {
  const fixture = new Fixture(setting, await setting.cluster.namespace());
  const clients = await readByClients(fixture);
  try {
    if (each.starts !== false) await fixture.startOperator();
    await each.play(fixture);
    await gaugesToAgree(fixture);
    await fixture.stopOperators();
    await fixture.countersToHaveStayed();
    await metricsToBeInOrder(fixture);
    if (!fixture.expectsErrors) expect(fixture.errors()).toEqual([]);
    expect(await clients.stop()).toEqual([]);
  } finally {
    await clients.stop();
    await fixture.close();
  }
}
