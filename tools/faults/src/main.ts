/**
 * `npm run faults`: starts a cluster of two real nodes, causes the faults of `faults.ts` in jobs of several kinds, and writes
 * `docs/users/faults.md` with the status and the output of `muster why` of each job. Exits 1 if one is not as expected. It is limited in
 * time, and always removes the cluster.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ClusterError,
  clusterDown,
  clusterStatus,
  clusterUp,
  InterruptedError,
  interruptSignal,
  terminalProgress,
  type Cluster,
} from '@muster/cluster';
import { importImages } from '@muster/images';
import { OperatorProcess } from '@muster/install';
import { crdFor, CUSTOM_RESOURCE_DEFINITIONS, FRAMEWORKS, type FrameworkName } from '@muster/job-api';
import { createKubeClient, loadCluster } from '@muster/kube';
import type { Fault, Place } from './fault.ts';
import { faults } from './faults.ts';
import { IMAGE } from './jobs.ts';
import { faultTable, rowOf, rowsOf } from './fault-table.ts';
import { runFault, type FaultResult } from './play-fault.ts';

const CLUSTER = 'faults';
const NAMESPACE = 'default';
const PAGE = join(import.meta.dirname, '../../../docs/users/faults.md');
const OPERATORS: readonly FrameworkName[] = ['pytorch-elastic', 'tensorflow', 'mxnet', 'jax', 'paddle', 'mpi'];
const IMAGES = ['torch-examples', 'jax-examples', 'paddle-examples', 'kubectl-delivery', 'openmpi-examples'] as const;
/** The default image of the init container is not on the nodes. */
const INIT_CONTAINER = ['--pytorch-init-container-image', IMAGE];
/** The number of jobs at a time: each has several pods, and `muster why` is a process. */
const AT_ONCE = 5;
const progress = terminalProgress();

const USAGE = `usage: npm run faults [-- <fault>...]
Causes the faults on two real nodes (Linux and root), and writes their rows of docs/users/faults.md. With names, only those, and prints the output of muster why.`;

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return console.log(USAGE);
  const known = new Set(faults('').map(({ name }) => name));
  const unknown = args.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`no such fault: ${unknown.join(' ')}\n${USAGE}`);
  const specs = JSON.stringify(faults('').filter(({ name }) => args.length === 0 || args.includes(name)));
  const images = IMAGES.filter((name) => specs.includes(name === 'kubectl-delivery' ? 'mpi' : `muster.local/${name}:`));
  using interrupt = interruptSignal();
  const cluster = await clusterUp({ name: CLUSTER, node: 'real', nodes: 2, progress, signal: interrupt.signal });
  const operators: OperatorProcess[] = [];
  let stopped: number | undefined;
  try {
    for (const { containerdSocket } of cluster.realNodes) await importImages(images, { containerdSocket, progress });
    const logFolder = await mkdtemp(join(tmpdir(), 'muster-faults-'));
    const access = await loadCluster({ kubeconfig: cluster.kubeconfig });
    const client = createKubeClient(access, { userAgent: 'muster-faults' });
    for (const framework of OPERATORS) {
      for (const definition of FRAMEWORKS[framework])
        await client.apply(CUSTOM_RESOURCE_DEFINITIONS, crdFor(definition), { force: true });
      const where = { kubeconfig: cluster.kubeconfig, namespaces: [NAMESPACE], logFolder };
      operators.push(
        new OperatorProcess({ framework, ...where, flags: framework === 'pytorch-elastic' ? INIT_CONTAINER : [] }),
      );
    }
    // A kind without an operator.
    for (const definition of FRAMEWORKS.ray)
      await client.apply(CUSTOM_RESOURCE_DEFINITIONS, crdFor(definition), { force: true });
    for (const operator of operators) await operator.ready(interrupt.signal);
    const second = cluster.realNodes[1]?.name ?? '';
    const kubelet = await kubeletOf(cluster);
    const place: Place = {
      ...{ client, namespace: NAMESPACE, second, kubeconfig: cluster.kubeconfig },
      stopKubelet: () => {
        stopped = kubelet;
        process.kill(kubelet, 'SIGSTOP');
      },
      stopOperator: async (framework) => {
        await operators.find((operator) => operator.framework === framework)?.stop();
      },
    };
    const results = await playAll(place, args, interrupt.signal);
    await client.close();
    const wrong = results.filter((result) => result.wrong.length > 0);
    for (const result of args.length === 0 ? wrong : results) console.error(reportOf(result));
    console.log(`${results.length - wrong.length} of ${results.length} are as expected`);
    if (wrong.length > 0) process.exitCode = 1;
  } finally {
    if (stopped !== undefined) process.kill(stopped, 'SIGCONT');
    for (const operator of operators) await operator.stop();
    await clusterDown({ name: CLUSTER, progress });
  }
}

async function playAll(place: Place, names: readonly string[], signal: AbortSignal): Promise<FaultResult[]> {
  const all = faults(place.second).filter(({ name }) => names.length === 0 || names.includes(name));
  const open = all.filter(({ isLast = false }) => !isLast);
  const results = new Map<Fault, FaultResult>();
  const worker = async () => {
    for (let fault = open.shift(); fault !== undefined; fault = open.shift()) {
      const result = await verdictOn(fault, place);
      results.set(fault, result);
      writeRow(result);
      console.error(
        `${result.wrong.length === 0 ? 'as expected' : `NOT AS EXPECTED (${result.wrong.join('; ')})`}: ${fault.name}`,
      );
      signal.throwIfAborted();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  for (const fault of all.filter(({ isLast = false }) => isLast)) {
    const result = await verdictOn(fault, place);
    results.set(fault, result);
    writeRow(result);
  }
  return all.flatMap((fault) => results.get(fault) ?? []);
}

/** Written after each fault, so that an interrupted run keeps its rows. */
function writeRow(result: FaultResult): void {
  const rows = rowsOf(readFileSync(PAGE, 'utf8'));
  rows.set(result.fault.name, rowOf(result));
  const names = faults('').map(({ name }) => name);
  writeFileSync(PAGE, faultTable(names, rows));
}

function reportOf({ fault, failure, answer, wrong }: FaultResult): string {
  const { headline = '', findings = [], next = [] } = answer ?? {};
  const page = [headline, ...findings, 'Next:', ...next].map((line) => `    ${line}`);
  const marks = wrong.map((each) => `  not as expected: ${each}`);
  return [`${fault.name}: ${fault.what}`, `  status: ${JSON.stringify(failure)}`, ...page, ...marks].join('\n');
}

/** An error with one fault does not affect the others. */
async function verdictOn(fault: Fault, place: Place): Promise<FaultResult> {
  try {
    return await runFault(fault, place);
  } catch (error) {
    console.error(`${fault.name} cannot be caused: ${String(error)}`);
    return { fault, failure: undefined, answer: undefined, wrong: [`it cannot be caused: ${String(error)}`] };
  }
}

/** The process of the second node's kubelet. The recorded process is its parent, which entered the node's namespaces. */
async function kubeletOf({ name }: Pick<Cluster, 'name'>): Promise<number> {
  const { components } = await clusterStatus({ name });
  const pid = components.find((each) => each.name === 'kubelet-2')?.pid ?? 0;
  const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  // Process 0 would signal the whole process group of this run.
  if (!/^\d+$/.test(child)) throw new Error(`the kubelet of the second node does not run (process ${pid})`);
  return Number(child);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ClusterError || error instanceof InterruptedError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error instanceof InterruptedError ? error.exitCode : 1;
}
