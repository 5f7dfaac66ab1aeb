/** `docs/reliability.md` from the results of runs. */
import { FAULTS } from '../faults/random-faults.ts';
import { INVARIANTS } from '../invariants/invariants.ts';
import type { MutantResult } from '../mutants/run-mutants.ts';
import type { RunResult } from '../run/run-campaign.ts';
import { type PageSoaks, soakSection } from './soak-section.ts';
import { table } from './table.ts';

/** A run, without the parts that only its own report needs. */
export interface PageRun {
  readonly day: string;
  readonly commit: string;
  readonly seed: number;
  readonly minutes: number;
  readonly frameworks: readonly string[];
  readonly kubernetesVersion: string;
  /** The commit of the previous version, in runs with upgrades or rollbacks. */
  readonly previous?: string;
  readonly clusterMinutes: number;
  readonly jobs: number;
  readonly pods: number;
  readonly changes: number;
  readonly operatorWrites: number;
  /** Those of operators of the previous version. */
  readonly previousWrites?: number;
  readonly auditedRequests: number;
  readonly operatorKills: number;
  /** How often each kind of fault was caused. */
  readonly faults: Readonly<Record<string, number>>;
  readonly violations: number;
}

/** Generated or mutated manifests of one kind, judged by `npm run specs`. */
export interface PageManifests {
  readonly day: string;
  readonly commit: string;
  readonly kind: string;
  readonly source: string;
  readonly seed: number;
  readonly manifests: number;
  /** By the API server's rules about metadata and by the CRD. */
  readonly refused: number;
  /** By the operator, or because the API server refused one of the job's objects. */
  readonly invalid: number;
  readonly accepted: number;
  /** Manifests for which something does not hold. */
  readonly failed: number;
}

/** The data of the page, stored beside it as JSON. */
export interface PageData extends PageSoaks {
  readonly runs: readonly PageRun[];
  /** Absent before the first. */
  readonly manifests?: readonly PageManifests[];
  /** The last result of each mutant. */
  readonly mutants: readonly MutantResult[];
}

const LIMITS = `## Limits

- Nodes are simulated: containers do not run, so restarts in place, images, volumes and networks are not covered. Real nodes:
  [what failed jobs show](users/faults.md).
- There is one etcd and one API server. The loss of a member, of its data, or of a whole machine is not covered.
- Upgrades and rollbacks change the operator and its CRDs. Both versions run with the flags and the rights of the current chart: what the chart itself
  changes is covered by the tests of the charts.
- The previous version is the newest release. Before the first release, it is the last commit of the day before: it may have defects that are fixed since,
  so a violation names the version that wrote the change. Versions further apart need \`--previous\`.
- \`clock-jump\` changes the clock of one operator process, not those of the API server or of the kubelets. While a clock is ahead, deadlines and times to
  live pass early, as in Kubernetes: the invariants allow that a job fails because of them. Runs with this fault load a file into the operators that
  shifts their clock.
- Ray is simulated: a head accepts jobs and applications, runs them for a time of the seed, and loses them when its pod is gone. Requests to
  it end in the operators' proxies, so the right to the API server's proxy of Services is not checked. Sidecar and interactive mode, selected
  clusters, autoscaling, GCS fault tolerance and incremental upgrades do not take part.
- Workers of Ray have no index, so that the invariant about one pod for each replica applies only to heads. Policies and Commands of Volcano
  restart a Job without a failure, so that \`restartCount\` of Volcano Jobs is not compared.
- Kueue takes part only with \`--kueue\`, in the mode in which Muster creates the Workloads. Gang schedulers do not take part.
- Watch events are cut, withheld and expired, but not reordered.
`;

export const NO_PAGE_DATA: PageData = { runs: [], mutants: [] };

/** A later run of the same seed, kinds and length replaces an earlier one. */
export function withRun(data: PageData, result: RunResult, { day, commit }: Pick<PageRun, 'day' | 'commit'>): PageData {
  const caused = result.faults.filter(({ failure }) => failure === undefined).map(({ fault }) => fault);
  const run: PageRun = {
    ...{ day, commit, seed: result.seed, minutes: result.minutes, frameworks: result.frameworks },
    ...{ kubernetesVersion: result.kubernetesVersion, clusterMinutes: Number(result.clusterMinutes.toFixed(1)) },
    ...{ jobs: result.jobs, pods: result.pods, changes: result.changes, operatorWrites: result.operatorWrites },
    ...{ auditedRequests: result.auditedRequests, operatorKills: result.operatorKills },
    ...(result.previous !== undefined && { previous: result.previous, previousWrites: result.previousWrites }),
    faults: Object.fromEntries([...Map.groupBy(caused, (fault) => fault)].map(([fault, each]) => [fault, each.length])),
    violations: result.violations.length,
  };
  const keyOf = ({ seed, minutes, frameworks }: PageRun) => JSON.stringify([seed, minutes, frameworks]);
  return { ...data, runs: [...data.runs.filter((other) => keyOf(other) !== keyOf(run)), run] };
}

/** Later results of the same kind, source and seed replace earlier ones. */
export function withManifests(data: PageData, added: readonly PageManifests[]): PageData {
  const keyOf = ({ kind, source, seed }: PageManifests) => `${kind} ${source} ${seed}`;
  const replaced = new Set(added.map(keyOf));
  const kept = (data.manifests ?? []).filter((other) => !replaced.has(keyOf(other)));
  const sorted = [...kept, ...added].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  return { ...data, manifests: sorted };
}

export function reliabilityPage({ runs, mutants, manifests = [], soaks = [] }: PageData): string {
  const sum = (of: (run: PageRun) => number) => runs.reduce((total, run) => total + of(run), 0);
  const times = (fault: string) => sum(({ faults }) => faults[fault] ?? 0);
  return `# Reliability

Made by \`npm run campaign -- --page\` from the results in \`reliability.json\`: change the command, not this page.

A campaign starts a local cluster (etcd, API server, controller manager, scheduler, simulated nodes) and two replicas of each operator, as they
ship and with the rights of their charts. With the faults \`rolling-upgrade\` and \`rollback\`, a seed selects for each operator whether it starts in the
current or in the previous version, which is bundled from its own commit. The seed also selects jobs of all kinds (Kubeflow's, Ray's and Volcano's), what their users do, and faults. After the last fault it waits until nothing changes any more, checks the
invariants, deletes all jobs, waits, and checks again. The checks know nothing of the engine: they read every write to etcd, the writes that
reached the operators' proxies, and the API server's audit log.

\`npm run campaign -- --seed 1 --minutes 1\` runs one. After a violation it prints the facts, the recorded reconcile runs of the job and the command that repeats the run;
\`--shrink\` finds a shorter schedule of faults that fails. The seed fixes jobs and faults, but not the speed of the machine, so a rare violation may need
several runs.

## Figures

${table(
  ['figure', 'sum of all runs below'],
  [
    ['runs', runs.length],
    ['minutes of clusters', Math.round(sum(({ clusterMinutes }) => clusterMinutes))],
    ['jobs', sum(({ jobs }) => jobs)],
    ['pods', sum(({ pods }) => pods)],
    ['changes in etcd that were checked', sum(({ changes }) => changes)],
    ['writes of operators', sum(({ operatorWrites }) => operatorWrites)],
    ['writes of operators of a previous version', sum(({ previousWrites = 0 }) => previousWrites)],
    ['audited requests of operators', sum(({ auditedRequests }) => auditedRequests)],
    ['operators killed', sum(({ operatorKills }) => operatorKills)],
    ['losses of the API server', times('api-server-kill') + times('api-server-stop')],
    ['violations', sum(({ violations }) => violations)],
  ],
)}

## Invariants

${table(
  ['invariant', 'what holds'],
  INVARIANTS.map(({ name, statement }) => [name, statement]),
)}

## Faults

Faults overlap: one begins every four seconds on average, and lasts up to twelve.

${table(
  ['fault', 'what happens', 'times'],
  Object.entries(FAULTS).map(([fault, what]) => [`\`${fault}\``, what, times(fault)]),
)}

## Mutants

\`npm run campaign -- --mutants\` runs a short campaign against each of these deliberate defects of the engine. Each has to violate an invariant that is expected of it.

${table(
  ['defect', 'file', 'detected', 'violated invariants'],
  mutants.map(({ what, file, isDetected, violated }) => [
    what,
    `\`${file.split('/').at(-1)}\``,
    isDetected ? 'yes' : 'no',
    violated.join(', '),
  ]),
)}

## Runs

${tableOfRuns(runs)}

${soakSection(soaks)}
${manifestsSection(manifests)}${LIMITS}`;
}

function manifestsSection(manifests: readonly PageManifests[]): string {
  const sum = (of: (row: PageManifests) => number) => manifests.reduce((total, row) => total + of(row), 0);
  const cells = (row: Omit<PageManifests, 'day' | 'commit' | 'kind' | 'source' | 'seed'>) =>
    [row.manifests, row.refused, row.invalid, row.accepted, row.failed] as const;
  const total = cells({
    manifests: sum((row) => row.manifests),
    refused: sum(({ refused }) => refused),
    invalid: sum(({ invalid }) => invalid),
    accepted: sum(({ accepted }) => accepted),
    failed: sum(({ failed }) => failed),
  });
  const rows = manifests.map((row) => [row.kind, row.source, row.seed, ...cells(row), row.commit, row.day]);
  return `## Generated manifests

\`npm run specs -- --record\` generates manifests of each kind from its schema, mutates those of the examples, and judges each without a cluster
([what has to hold](maintainers/specs.md)). Refused: by the API server, with the path of a field. Invalid: by the operator, or because the API
server refuses one of the job's objects. A manifest fails if a property does not hold: for example, if planning throws, or a job reports nothing.

${table(
  ['kind', 'source', 'seed', 'manifests', 'refused', 'invalid', 'accepted', 'failed', 'commit', 'day'],
  rows.length === 0 ? [] : [...rows, ['all', '', '', ...total, '', '']],
)}
`;
}

function tableOfRuns(runs: readonly PageRun[]): string {
  const head = ['day', 'commit', 'previous version', 'seed', 'minutes', 'frameworks', 'Kubernetes', 'jobs', 'pods'];
  return table(
    [...head, 'faults', 'violations'],
    runs.map((run) => [
      ...[run.day, run.commit, run.previous ?? '', run.seed, run.minutes, run.frameworks.length],
      ...[run.kubernetesVersion, run.jobs, run.pods],
      ...[Object.values(run.faults).reduce((total, count) => total + count, 0), run.violations],
    ]),
  );
}
