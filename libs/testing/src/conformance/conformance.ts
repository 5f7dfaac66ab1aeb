/**
 * The conformance suite: what jobs of every kind have in common, played with one framework on a real API server. Nobody runs
 * the pods; each case says itself what becomes of them, as a kubelet would, and puts the operator's clock forward where time
 * has to pass. Cases have namespaces, clocks and operators of their own, so they run side by side.
 *
 * A framework plugs in with one object, in `libs/adapters/<framework>/src/conformance.integration.spec.ts`:
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
 * Not every case is played for every kind by `npm test`: each says which part of an adapter could make it fail
 * (`concern.ts`), and what is the engine's alone is played for one kind. With `MUSTER_TEST_CONFORMANCE=all`, as in
 * `npm run e2e:full`, all are.
 *
 * After each case, whatever it was about, the gauges must equal what is in the API server, and no operator may have logged an
 * error that the case did not ask for.
 */
import { PODS } from '@muster/job-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { installCrd } from '../install-crd.ts';
import { testCluster } from '../test-cluster.ts';
import type { ConformanceCase } from './conformance-case.ts';
import type { ConformanceFramework, ConformanceJob } from './conformance-framework.ts';
import { keptRecord, withRecord } from './job-record.ts';
import { playedCases } from './played-cases.ts';
import { Stage, type StageSetting } from './stage.ts';

const CASE_LIMIT_MS = 300_000;

export async function describeConformance(framework: ConformanceFramework): Promise<void> {
  const cluster = await testCluster();
  beforeAll(() => installCrd(cluster.client, framework.crd));
  const extent = process.env.MUSTER_TEST_CONFORMANCE === 'all' ? 'all' : 'chosen';
  for (const [topic, cases] of Object.entries(playedCases(framework, extent))) {
    if (cases.length === 0) continue;
    describe.concurrent(topic, () => {
      // Not `it.each`, which cuts long names short: each case is found by any part of its name.
      for (const each of cases) {
        const reason = framework.doesNotApply?.(topic, each.name);
        if (reason !== undefined) it.skip(`${each.name} (does not apply: ${reason})`);
        else it(each.name, { timeout: CASE_LIMIT_MS }, () => play({ framework, cluster }, each));
      }
    });
  }
}

async function play(setting: StageSetting, each: ConformanceCase): Promise<void> {
  const stage = new Stage(setting, await setting.cluster.namespace());
  try {
    if (each.starts !== false) await stage.startOperator();
    await each.play(stage);
    await gaugesToAgree(stage);
    await stage.stopOperators();
    await stage.countersToHaveStayed();
    if (!stage.bearsErrors) expect(stage.errors()).toEqual([]);
  } finally {
    await stage.close();
  }
}

/** `muster_jobs` and `muster_job_pods` say what the API server has. */
async function gaugesToAgree(stage: Stage): Promise<void> {
  let seen: object = {};
  await stage.until(
    async () => {
      const { client, namespace, labelSelector } = stage;
      const [jobs, pods] = await Promise.all([
        countedJobs(stage),
        client.list(PODS, { namespace, labelSelector }).then(({ items }) => items),
      ]);
      const expected = {
        jobs: tally(jobs.map(stateOf)),
        pods: tally(pods.map(({ status }) => status?.phase ?? 'Pending')),
      };
      const gauges = {
        jobs: await stage.gauge('muster_jobs', 'state'),
        pods: await stage.gauge('muster_job_pods', 'phase'),
      };
      seen = { expected, gauges };
      expect(gauges).toEqual(expected);
      return true;
    },
    () => ({ 'the gauges are those of the API server': seen }),
  );
}

/** With those that they own. */
async function countedJobs(stage: Stage): Promise<ConformanceJob[]> {
  const { recordIn, ownedJobs } = stage.framework;
  const kinds = [{ resource: stage.resource, recordIn }, ...(ownedJobs === undefined ? [] : [ownedJobs])];
  const lists = kinds.map(async (kind) =>
    (await stage.list(kind.resource)).map((job) => withRecord(job, kind.recordIn)),
  );
  return (await Promise.all(lists)).flat();
}

/** Under upstream's CustomResourceDefinition the state stands in the annotation. */
function stateOf(job: ConformanceJob): string {
  return job.status?.state ?? keptRecord(job).job?.state ?? 'New';
}

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
