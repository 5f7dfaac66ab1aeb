/**
 * Alerts on real faults: a Prometheus in a cluster scrapes an operator installed by its chart, with the chart's own rules, whose durations
 * are shortened by values. Without a fault no alert fires; each fault makes its alert fire. Faults that need no containers are in
 * `operator-alerts.full.spec.ts`. The commands of the runbooks run as well: those about a fault when its alert fires, and those about a
 * healthy operator in pods.
 */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  clusterDown,
  clusterUp,
  ensureBinaries,
  moduleFolder,
  runCommand,
  terminalProgress,
  type Cluster,
} from '@muster/cluster';
import { importImages } from '@muster/images';
import { PODS, PYTORCH_JOBS, type KubeObject, type Pod } from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { eventually, NAMESPACES } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FiringAlert } from '../test-support/prometheus-queries.ts';
import { PrometheusInCluster } from '../test-support/prometheus-in-cluster.ts';
import { PY_SPY } from '../test-support/py-spy-image.ts';
import {
  operatorNames,
  runbookCommands,
  runbookShell,
  runRunbook,
  type RunbookShell,
} from '../test-support/runbook.ts';
import { chartFolder, operatorValues } from './install-operators.ts';

const NAME = `alerts-${process.pid}`;
const OPERATORS = 'muster';
const TEAM = 'team-a';
const RELEASE = 'pytorch-elastic';
const LIMIT_MS = 1_200_000;
const SELECTOR = `app.kubernetes.io/component=operator,app.kubernetes.io/instance=${RELEASE}`;

const RUNBOOKS = globSync('Muster*.md', { cwd: join(import.meta.dirname, '../../../docs/administrators/runbooks') })
  .map((page) => basename(page, '.md'))
  .toSorted();

const TRAINING = `
import time
def wait_for_ever():
    while True: time.sleep(1)
print("trains", flush=True)
wait_for_ever()
`;

/** Durations are short, except for conditions that are also true for a moment during a healthy start. */
const RULES = {
  MusterOperatorDown: { for: '10s' },
  MusterNoLeader: { for: '10s' },
  MusterJobWaiting: { for: '30s' },
  MusterJobsFailing: { for: '0s' },
  MusterJobRestarting: { threshold: 2 },
  MusterJobGoodputLow: { for: '10s' },
};

describe('the alerts of a chart', { timeout: LIMIT_MS }, () => {
  let cluster: Cluster;
  let client: ClusterClient;
  let prometheus: PrometheusInCluster;
  let helm: string;
  let kubectl: string;
  let values: readonly string[];
  let image: string;
  let pythonImage: string;
  let shell: RunbookShell;

  beforeAll(async () => {
    const progress = terminalProgress();
    cluster = await clusterUp({ name: NAME, node: 'real', progress });
    client = createKubeClient(await loadCluster({ kubeconfig: cluster.kubeconfig }), { userAgent: 'muster-test/0' });
    [helm = '', kubectl = ''] = await ensureBinaries(['helm', 'kubectl'], progress);
    values = await operatorValues('pytorch-elastic', { cluster, progress });
    shell = await runbookShell(cluster.kubeconfig, progress);
    const [base, python] = await importImages(['base', PY_SPY], {
      containerdSocket: cluster.containerdSocket ?? '',
      progress,
    });
    image = base?.references[0] ?? '';
    pythonImage = python?.references[0] ?? '';
    for (const name of [OPERATORS, TEAM]) await client.apply(NAMESPACES, { metadata: { name } }, { force: true });
    await installMonitoringKinds();
    await deploy();
    prometheus = await PrometheusInCluster.start(cluster, OPERATORS, await rules());
  }, LIMIT_MS);

  afterAll(async () => {
    await clusterDown({ name: NAME, progress: terminalProgress() });
    await shell.remove();
  }, LIMIT_MS);

  /** The Prometheus operator's kinds, so that the rules are an object as in users' clusters. */
  async function installMonitoringKinds(): Promise<void> {
    const operator = { module: 'github.com/prometheus-operator/prometheus-operator', version: '0.85.0' };
    const folder = join(await moduleFolder(operator), 'example/prometheus-operator-crd');
    for (const plural of ['prometheusrules', 'servicemonitors', 'podmonitors']) {
      await run(kubectl, ['apply', '--server-side', '-f', join(folder, `monitoring.coreos.com_${plural}.yaml`)]);
      const wait = ['wait', '--for=condition=Established', `crd/${plural}.monitoring.coreos.com`];
      // kubectl fails if the CRD has no conditions yet.
      const isServed = () => run(kubectl, wait).then(Boolean, () => false);
      await eventually(isServed, { withinMs: 60_000, describe: `${plural} are not served` });
    }
  }

  async function deploy(): Promise<void> {
    const set = [...values, 'replicaCount=2', `alerts=${JSON.stringify({ enabled: true, rules: RULES })}`];
    const where = ['--namespace', OPERATORS, '--wait', '--timeout', '400s', '--force-conflicts'];
    const release = ['upgrade', '--install', RELEASE, chartFolder('pytorch-elastic')];
    await run(helm, [...release, ...where, ...set.flatMap((value) => ['--set-json', value])]);
  }

  async function rules(): Promise<unknown> {
    const text = await run(kubectl, ['-n', OPERATORS, 'get', 'prometheusrule', RELEASE, '-o', 'json']);
    return (JSON.parse(text) as { spec: unknown }).spec;
  }

  async function run(program: string, args: readonly string[]): Promise<string> {
    return (await runCommand(program, ['--kubeconfig', cluster.kubeconfig, ...args])).stdout;
  }

  /** A job of one pod that runs the script. */
  async function submit(
    name: string,
    script: string,
    { pod = {}, role = {}, container: own = {} }: { pod?: object; role?: object; container?: object } = {},
  ): Promise<void> {
    const container = { name: 'pytorch', image, imagePullPolicy: 'Never', command: ['sh', '-c', script], ...own };
    const Master = { replicas: 1, ...role, template: { spec: { containers: [container], ...pod } } };
    const spec = { pytorchReplicaSpecs: { Master } };
    await client.create<KubeObject & { spec: object }>(PYTORCH_JOBS, { metadata: { name, namespace: TEAM }, spec });
  }

  async function reaches(name: string, state: string): Promise<void> {
    await eventually(
      async () => {
        const job = await client.get<KubeObject & { status?: { state?: string } }>(PYTORCH_JOBS, {
          namespace: TEAM,
          name,
        });
        return job.status?.state === state;
      },
      { withinMs: 300_000 },
    );
  }

  /** Resolves when the alert has fired and its runbook's commands about the fault have shown the expected output. */
  async function fired(
    alert: string,
    labels: Readonly<Record<string, string>>,
    job = labels['job_name'] ?? '',
  ): Promise<FiringAlert> {
    const firing = await prometheus.fired(alert, labels);
    await runRunbook(alert, 'fault', { shell, values: valuesOf(job) });
    for (const query of runbookCommands(alert).queries) expect(await prometheus.series(query), query).not.toEqual([]);
    return firing;
  }

  function valuesOf(job: string): Record<string, string> {
    const ofJob = { '<namespace>': TEAM, '<kind>': PYTORCH_JOBS.kind, '<job>': job };
    return { ...ofJob, $NS: OPERATORS, $RELEASE: RELEASE, $DEPLOY: RELEASE, $OPERATOR: SELECTOR };
  }

  async function operatorPods(): Promise<readonly Pod[]> {
    const { items } = await client.list(PODS, { namespace: OPERATORS, labelSelector: SELECTOR });
    return items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  }

  /** Kills the process in one of the operator's pods, which its kubelet restarts. */
  async function restartOneProcess(): Promise<void> {
    const [pod] = await operatorPods();
    const name = pod?.metadata?.name ?? '';
    await run(kubectl, ['-n', OPERATORS, 'exec', name, '--', 'node', '-e', "process.kill(1, 'SIGTERM')"]);
    const states = async () => (await operatorPods()).flatMap(({ status }) => status?.containerStatuses ?? []);
    await eventually(
      async () => {
        const all = await states();
        return all.length === 2 && all.every(({ ready }) => ready) && all.some(({ restartCount }) => restartCount > 0);
      },
      { withinMs: 200_000, describe: states },
    );
  }

  it('do not fire while a job starts, runs and succeeds', async () => {
    await submit('well', 'sleep 5');
    await reaches('well', 'Succeeded');
    const succeeded = () => prometheus.series('training_operator_jobs_successful_total > 0');
    await eventually(async () => (await succeeded()).length > 0, { withinMs: 120_000 });
    expect(await prometheus.ruleProblems()).toEqual([]);
    expect(await prometheus.everFired(OPERATORS)).toEqual([]);
  });

  it('have runbooks whose commands about an operator in pods show the expected output', async () => {
    await submit('train', '', { container: { image: pythonImage, command: ['python3', '-c', TRAINING] } });
    await reaches('train', 'Running');
    await restartOneProcess();
    const tools = { '<pod>': 'train-master-0', '<container>': 'pytorch', '<image>': pythonImage };
    for (const alert of RUNBOOKS)
      await runRunbook(alert, 'well', { shell, values: { ...valuesOf('train'), ...tools } });
  });

  it('MusterJobWaiting fires for a job that fits on no node', async () => {
    await submit('homeless', 'true', { pod: { nodeSelector: { nowhere: 'to-be-found' } } });
    const { annotations } = await fired('MusterJobWaiting', {
      job_name: 'homeless',
      reason: 'Unschedulable',
    });
    expect(annotations).toMatchObject({
      description: `PyTorchJob ${TEAM}/homeless has been waiting with reason Unschedulable. "muster why" shows the cause and the next step.`,
      runbook_url: 'docs/administrators/runbooks/MusterJobWaiting.md',
    });
  });

  it('MusterJobsFailing fires if most jobs fail', async () => {
    const names = ['bad-1', 'bad-2', 'bad-3', 'bad-4', 'bad-5'];
    // In sequence: Prometheus counts increases only from the first scrape of a series on.
    for (const name of names) {
      await submit(name, 'echo cannot read the data; exit 1', { role: { restartPolicy: 'Never' } });
      await reaches(name, 'Failed');
    }
    await fired('MusterJobsFailing', { job_namespace: TEAM }, 'bad-5');
  });

  it('MusterJobRestarting fires for a job that is restarted again and again', async () => {
    await submit('loop', 'echo starts; exit 130', { role: { restartPolicy: 'ExitCode' } });
    await fired('MusterJobRestarting', { job_name: 'loop' });
  });

  it('MusterJobGoodputLow fires for a job that spends its time with restarts', async () => {
    await fired('MusterJobGoodputLow', { job_name: 'loop' });
  });

  it('MusterNoLeader fires when the operator may no longer write the Lease', async () => {
    await run(kubectl, ['-n', OPERATORS, 'delete', 'rolebinding', `${RELEASE}-lease`]);
    await fired('MusterNoLeader', { framework: 'pytorch-elastic', namespace: OPERATORS });
  });

  it('MusterOperatorDown fires when the operator is gone', async () => {
    await run(kubectl, ['-n', OPERATORS, 'scale', `deployment/${RELEASE}`, '--replicas=0']);
    await eventually(async () => (await client.list(PODS, { namespace: OPERATORS })).items.length === 0, {
      withinMs: 120_000,
    });
    await fired('MusterOperatorDown', { framework: 'pytorch-elastic', namespace: OPERATORS });
  });

  it('only alerts of jobs still fire when the operator runs again', async () => {
    await deploy();
    const aboutOperator = ({ labels }: { labels: Readonly<Record<string, string>> }) =>
      ['MusterNoLeader', 'MusterOperatorDown'].includes(labels['alertname'] ?? '');
    await eventually(async () => !(await prometheus.alerts()).some(aboutOperator), { withinMs: 300_000 });
  });

  it('have an index of runbooks whose commands find the Deployment and the pods of the release', async () => {
    expect(await operatorNames({ namespace: OPERATORS, release: RELEASE }, shell)).toEqual({
      $DEPLOY: RELEASE,
      $OPERATOR: SELECTOR,
    });
  });

  it('have runbooks whose commands for changing the operator work', async () => {
    for (const alert of RUNBOOKS) {
      const [pod] = await operatorPods();
      const values = { ...valuesOf('train'), '<pod>': pod?.metadata?.name ?? '' };
      await runRunbook(alert, 'mitigation', { shell, values });
      await run(kubectl, ['-n', OPERATORS, 'rollout', 'status', `deployment/${RELEASE}`, '--timeout=300s']);
    }
  });
});
