/**
 * Jobs at an API server that answers a tenth of a second late and takes a hundred requests a second, and refuses the rest (429): beside the
 * floor at the same slow server, which a raw client takes that comes again when it is told to. Then the server refuses all for
 * a while, and recovers while jobs wait: how much of what the operator sends then is refused again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createKubeClient, loadCluster, type ClusterAccess } from '@muster/kube';
import { figure, spread } from '../figure.ts';
import { floorSample } from '../jobs/floor.ts';
import { jobSample } from '../jobs/job-sample.ts';
import type { LoadBench } from '../jobs/load-bench.ts';
import { completeSeconds, type Load } from '../jobs/load.ts';
import { nodesForLoad } from '../jobs/load-scenario.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { peakResidentMB, stopServer } from '../server-process.ts';
import { slowServer, type SlowServer } from '../slow/slow-server.ts';
import { startOperator } from '../start-operator.ts';
import { measuredKind } from '../training-job.ts';

const JOBS = 50;
const PODS_A_JOB = 10;
const TRAINING_MS = 1000;
const DELAY_MS = 100;
const PER_SECOND = 100;
const OUTAGE_SECONDS = 20;
const LIMIT_MS = 900_000;
/** A server without limit. */
const UNLIMITED = 1_000_000;
/** How much further from its floor a slow server may bring the operator. */
const FURTHER_GOAL = 1.2;
const PEAK_GOAL_MB = 250;
/** Of what is sent after an outage: more would be a herd. */
const REFUSED_GOAL = 0.5;

export const throttled: Scenario = {
  summary: `${JOBS} jobs (--size) of ${PODS_A_JOB} pods at a slow API server that refuses what is too much: time, memory, and what comes after an outage`,
  defaults: { runs: 1, size: JOBS },
  nodes: (size) => nodesForLoad({ jobs: size, pods: PODS_A_JOB }),
  async run(context) {
    const target = await loadCluster({ kubeconfig: context.kubeconfig });
    const client = createKubeClient(target, { userAgent: 'muster-bench' });
    await using server = await slowServer(target, { delayMs: DELAY_MS, perSecond: UNLIMITED });
    const operator = await startOperator({ ...context, kubeconfig: server.kubeconfig });
    try {
      const { namespace } = context;
      const benchAt = (access: ClusterAccess): LoadBench => ({
        ...{ access, client, namespace, cluster: undefined, operator, limitMs: LIMIT_MS, profiles: undefined },
      });
      const load: Load = {
        kind: measuredKind(context.framework),
        jobs: context.size,
        pods: PODS_A_JOB,
        trainingMs: TRAINING_MS,
      };
      const figures = await measure(benchAt, { server, target, load }, context);
      return { ...figures, peakResidentMB: Number((await peakResidentMB(operator.child)).toFixed(1)) };
    } finally {
      await stopServer(operator.child);
      await client.close();
    }
  },
};

interface At {
  readonly server: SlowServer;
  readonly target: ClusterAccess;
  readonly load: Load;
}

async function measure(benchAt: (access: ClusterAccess) => LoadBench, at: At, context: BenchContext) {
  const { server, load } = at;
  const slow = benchAt(server.access);
  await jobSample(slow, { ...load, jobs: 1, pods: 3 }, 'warm-up');
  const compared = async (name: string) => {
    const floors: number[] = [];
    const samples: number[] = [];
    for (let run = 1; run <= context.runs; run++) {
      context.note(`throttled: ${name}, run ${run} of ${context.runs}`);
      floors.push(completeSeconds(await floorSample(slow, load, `floor-${name}-${run}`)));
      server.counts();
      samples.push(completeSeconds(await jobSample(slow, load, `${name}-${run}`)));
    }
    return { seconds: figure(samples, floors, 2), counts: server.counts() };
  };
  const late = await compared('late');
  server.setLimit(PER_SECOND);
  const limited = await compared('limited');
  const recovery = await afterOutage(slow, at, context);
  const peak = await peakResidentMB(slow.operator.child);
  return {
    jobs: load.jobs,
    pods: load.pods,
    lateSeconds: late.seconds,
    limitedSeconds: limited.seconds,
    limitedRequests: limited.counts,
    ...recovery,
    goals: {
      noFurtherMet: limited.seconds.ratio <= late.seconds.ratio * FURTHER_GOAL,
      memoryMet: peak <= PEAK_GOAL_MB,
      noHerdMet: recovery.afterOutage.refused <= recovery.afterOutage.requests * REFUSED_GOAL,
    },
  };
}

/** Jobs are made by who is not refused; when the server recovers the operator has all of them to do. */
async function afterOutage(slow: LoadBench, { server, target, load }: At, context: BenchContext) {
  context.note(`throttled: all is refused for ${OUTAGE_SECONDS} s`);
  server.setLimit(0);
  server.counts();
  const ended = sleep(OUTAGE_SECONDS * 1000).then(() => {
    const during = server.counts();
    server.setLimit(PER_SECOND);
    return during;
  });
  const sample = await jobSample({ ...slow, access: target }, load, 'outage');
  const during = await ended;
  return {
    secondsAfterOutage: spread([completeSeconds(sample) - OUTAGE_SECONDS], 2),
    duringOutage: during,
    afterOutage: server.counts(),
  };
}
