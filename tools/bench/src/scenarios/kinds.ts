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
const GOAL = 1.25;
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
      found[framework] = await measuredLoad({ ...context, framework, kind }, load, {
        goal: GOAL,
        floors: ['allObjects'],
      });
    }
    const reference = found[REFERENCE]!;
    const further = Object.fromEntries(
      Object.entries(found).map(([framework, figures]) => [framework, furtherThan(reference, figures)]),
    );
    return {
      jobs: context.size,
      pods: PODS_A_JOB,
      ...Object.fromEntries(Object.entries(found).map(([framework, figures]) => [framework, lastMoment(figures)])),
      further,
      goals: Object.fromEntries(
        Object.entries(further).map(([framework, times]) => [framework, times <= FURTHER_GOAL]),
      ),
      all: found,
    };
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

/** Kinds whose pods run on are compared by when those ran. */
function furtherThan(reference: LoadFigures, figures: LoadFigures): number {
  const against = figures.succeededSeconds === undefined ? reference.runningSeconds : lastMoment(reference);
  return Number((lastMoment(figures).ratio / against.ratio).toFixed(2));
}
