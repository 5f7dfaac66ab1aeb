/** The same load in several sizes, each beside its floor: how time grows with it. */
import { measuredLoad, nodesForLoad, type LoadFigures } from '../jobs/load-scenario.ts';
import { LOAD_KINDS } from '../kinds/chosen-kind.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import type { CurvePoint } from '../curve-svg.ts';

const JOBS = 200;
const PODS_A_JOB = 10;
const GOAL = 1.25;
/** Of the largest size. */
const SHARES = [1 / 20, 1 / 8, 1 / 4, 1 / 2, 1];

export const curve: Scenario = {
  summary: `up to ${JOBS} jobs (--size) of ${PODS_A_JOB} pods at once in ${SHARES.length} sizes, until all run: the curve of the time`,
  defaults: { runs: 1, size: JOBS },
  anyOperator: true,
  nodes: (size) => nodesForLoad({ jobs: size, pods: PODS_A_JOB }),
  async run(context) {
    const points: CurvePoint[] = [];
    const residentMB: Record<string, number> = {};
    for (const jobs of new Set(SHARES.map((share) => Math.ceil(context.size * share)))) {
      context.note(`curve: ${jobs} jobs`);
      const figures = await figuresOf(context, jobs);
      const { median, floor } = figures.runningSeconds;
      const pods = jobs * PODS_A_JOB;
      points.push({ pods, seconds: median, floorSeconds: floor });
      residentMB[`peak at ${pods} pods`] = figures.residentMB.peak;
    }
    return { jobs: context.size, pods: PODS_A_JOB, residentMB, points };
  },
};

/** By an operator of its own, so that its memory is that of this size. */
function figuresOf(context: BenchContext, jobs: number): Promise<LoadFigures> {
  const kind = context.kind ?? LOAD_KINDS[context.framework];
  if (kind === undefined)
    throw new Error(`--framework ${context.framework}: loads are known of ${Object.keys(LOAD_KINDS).join(', ')}`);
  return measuredLoad(
    context,
    { kind, jobs, pods: PODS_A_JOB, trainingMs: undefined },
    { goals: { last: GOAL }, floors: ['bare'] },
  );
}
