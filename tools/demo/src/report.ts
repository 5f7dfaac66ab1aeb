/** What is said at the end: whether every job did what it should, and how to look further. */
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

/** Each expectation with what was seen; for a job that failed one, its status and the end of its log besides. */
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

/** How to look at the jobs in a cluster that stays up, and how to go on from there. */
export function lookFurther(
  cluster: Pick<Cluster, 'name' | 'node' | 'kubeconfig' | 'binDir'>,
  frameworks: readonly DemoFramework[],
): string {
  const kinds = [...new Set(frameworks.flatMap(({ jobs }) => jobs.map(({ resource }) => resource.plural)))].join(',');
  return `The cluster stays up, with the jobs in namespace ${DEMO_NAMESPACE}. To look at them:

  export KUBECONFIG=${cluster.kubeconfig}
  export PATH=${cluster.binDir}:$PATH    # has kubectl

  kubectl -n ${DEMO_NAMESPACE} get ${kinds},pods
  kubectl -n ${DEMO_NAMESPACE} describe ${kinds}${cluster.node === 'real' ? `\n  kubectl -n ${DEMO_NAMESPACE} logs <pod>` : ''}

${operatorsOf(cluster, frameworks)}

The next npm start uses the same cluster. To take it down:

  npx muster cluster down --name ${cluster.name}`;
}

/** Where the operators are that jobs of one's own take. */
function operatorsOf({ node }: Pick<Cluster, 'node'>, frameworks: readonly DemoFramework[]): string {
  if (node === 'real') {
    return `The operators are installed there, each with its chart, and take jobs of your own:

  kubectl -n ${OPERATORS_NAMESPACE} get deployments,pods`;
  }
  const commands = frameworks.map(({ name, operatorFlags }) =>
    ['  npx muster operator', name, ...operatorFlags].join(' '),
  );
  return `Operators have ended with the demo. For jobs of your own, start one again:

${commands.join('\n')}`;
}
