/** The report at the end: whether the jobs met their expectations, and how to inspect them. */
import { type Cluster, lastLines } from '@muster/cluster';
import { OPERATORS_NAMESPACE } from '@muster/install';
import { DEMO_NAMESPACE } from './demo-namespace.ts';
import type { DemoFramework } from './demo-job.ts';
import type { JobReport } from './job-run.ts';
import type { Paint } from './job-table.ts';

const LOG_LINES = 15;

export function isAsExpected({ findings }: JobReport): boolean {
  return findings.every(({ met }) => met);
}

/** Each expectation with its result; for a job that missed one, also its status and the end of its log. */
export function describeJob(report: JobReport, paint: Paint): string {
  const { name, findings, seen } = report;
  const good = isAsExpected(report);
  const lines = findings.map(
    ({ expectation, met, seen: what }) =>
      `    ${met ? paint.good('✓') : paint.bad('✗')} ${expectation}${paint.faint(`: ${what}`)}`,
  );
  const title = `${good ? paint.good('✓') : paint.bad('✗')} ${name}`;
  if (good) return [title, ...lines].join('\n');
  const pods = seen.pods.map(({ metadata, status }) => `${metadata?.name} ${status?.phase}`).join(', ');
  return [
    title,
    ...lines,
    `    status: ${JSON.stringify(seen.status)}`,
    `    pods: ${pods || 'none'}`,
    `    the last lines of its log:`,
    ...lastLines(seen.logText || '(nothing)', LOG_LINES)
      .split('\n')
      .map((line) => `      ${line}`),
  ].join('\n');
}

/** How to inspect the jobs in a cluster that stays up. */
export function lookFurther(
  cluster: Pick<Cluster, 'name' | 'node' | 'kubeconfig' | 'binDir'>,
  frameworks: readonly DemoFramework[],
): string {
  const kinds = [...new Set(frameworks.flatMap(({ jobs }) => jobs.map(({ resource }) => resource.plural)))].join(',');
  return `The cluster stays up, with the jobs in namespace ${DEMO_NAMESPACE}. To inspect them:

  export KUBECONFIG=${cluster.kubeconfig}
  export PATH=${cluster.binDir}:$PATH    # has kubectl

  kubectl -n ${DEMO_NAMESPACE} get ${kinds},pods
  kubectl -n ${DEMO_NAMESPACE} describe ${kinds}${cluster.node === 'real' ? `\n  kubectl -n ${DEMO_NAMESPACE} logs <pod>` : ''}

${operatorsOf(cluster, frameworks)}

The next npm start uses the same cluster. To remove it:

  npx muster cluster down --name ${cluster.name}`;
}

/** The operators that can run the user's jobs. */
function operatorsOf({ node }: Pick<Cluster, 'node'>, frameworks: readonly DemoFramework[]): string {
  if (node === 'real') {
    return `The operators are installed with their charts, and run your jobs, too:

  kubectl -n ${OPERATORS_NAMESPACE} get deployments,pods`;
  }
  const commands = frameworks.map(({ name, operatorFlags }) =>
    ['  npx muster operator', name, ...operatorFlags].join(' '),
  );
  return `The operators ended with the demo. To run your jobs, start one again:

${commands.join('\n')}`;
}
