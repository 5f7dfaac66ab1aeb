/**
 * The same load for one kind of each framework, each beside a floor of its own objects: what a raw client makes is all that a job of
 * the kind consists of. None may be much further from its floor than PyTorchJob is from its own.
 */
import { crdFor, CUSTOM_RESOURCE_DEFINITIONS, FRAMEWORKS, isFrameworkName } from '@muster/job-api';
import { createKubeClient, loadCluster } from '@muster/kube';
import type { Figure } from '../figure.ts';
import { measuredLoad, nodesForLoad, type LoadFigures } from '../jobs/load-scenario.ts';
import { LOAD_KINDS } from '../kinds/chosen-kind.ts';
import type { JobKind } from '../kinds/job-kind.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { MEASURED_KINDS, trainingJob } from '../training-job.ts';

const JOBS = 100;
const PODS_A_JOB = 10;
const TRAINING_MS = 1000;
/** How much further from its floor another kind may be than PyTorchJob. */
const FURTHER_GOAL = 1.2;
const REFERENCE = 'pytorch-elastic';

export const kinds: Scenario = {
  summary: `${JOBS} jobs (--size) of ${PODS_A_JOB} pods at once, of one kind of each framework, beside a floor of their own objects`,
  defaults: { runs: 3, size: JOBS },
  nodes: (size) => nodesForLoad({ jobs: size, pods: PODS_A_JOB }),
  async run(context) {
    await installAll(context);
    const found: Record<string, LoadFigures> = {};
    for (const [framework, kind] of Object.entries(LOAD_KINDS)) {
      context.note(`kinds: ${kind.resource.kind}`);
      const trainingMs = kind.runsOn === true ? undefined : TRAINING_MS;
      const load = { kind: leavingPods(framework, kind), jobs: context.size, pods: PODS_A_JOB, trainingMs };
      found[framework] = await measuredLoad({ ...context, framework, kind }, load, { floors: ['allObjects'] });
    }
    const reference = found[REFERENCE]!;
    const compared = Object.entries(found).map(
      ([framework, figures]) => [framework, besideReference(reference, figures)] as const,
    );
    return { jobs: context.size, pods: PODS_A_JOB, ...Object.fromEntries(compared), all: found };
  },
};

/** The floor deletes nothing. Jobs some of whose pods never end by themselves would delete those, for what the floor has no equal. */
function leavingPods(framework: string, kind: JobKind): JobKind {
  const measured = MEASURED_KINDS[framework];
  if (measured === undefined) return kind;
  const runPolicy = { cleanPodPolicy: 'None' };
  return {
    ...kind,
    manifest: (name, pods, trainingMs) => trainingJob(measured, name, pods, trainingMs, { runPolicy }),
  };
}

async function installAll({ kubeconfig }: BenchContext): Promise<void> {
  const client = createKubeClient(await loadCluster({ kubeconfig }), { userAgent: 'muster-bench' });
  try {
    const definitions = Object.keys(LOAD_KINDS).flatMap((each) => (isFrameworkName(each) ? FRAMEWORKS[each] : []));
    for (const definition of definitions)
      await client.apply(CUSTOM_RESOURCE_DEFINITIONS, crdFor(definition), { force: true });
  } finally {
    await client.close();
  }
}

function lastMoment({ runningSeconds, succeededSeconds, allRunningSeconds }: LoadFigures): Figure {
  return succeededSeconds ?? allRunningSeconds ?? runningSeconds;
}

/** With the goal that PyTorchJob sets. Kinds whose pods run on are compared by when those ran. */
function besideReference(reference: LoadFigures, figures: LoadFigures): Figure {
  const last = lastMoment(figures);
  if (figures === reference) return last;
  const against = figures.succeededSeconds === undefined ? reference.runningSeconds : lastMoment(reference);
  const target = last.floor * against.ratio * FURTHER_GOAL;
  return { ...last, target: Number(target.toFixed(2)), met: last.median <= target };
}
