/**
 * `npm run faults`: brings a cluster of two real nodes up, makes jobs of several kinds fail in all the ways of `faults.ts`, all at once,
 * and writes `docs/faults.md` with what each job's status says failed first. Exits 1 when less than 95 % of that is right. Bounded in time,
 * and the cluster is taken down whatever becomes of it.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  clusterDown,
  clusterStatus,
  clusterUp,
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
import { faultTable } from './fault-table.ts';
import { playFault, type Verdict } from './play-fault.ts';

const CLUSTER = 'faults';
const NAMESPACE = 'default';
const PAGE = join(import.meta.dirname, '../../../docs/faults.md');
const OPERATORS: readonly FrameworkName[] = ['pytorch-elastic', 'tensorflow', 'mxnet', 'mpi'];
const SHARE_WANTED = 0.95;
const progress = terminalProgress();

const USAGE = `usage: npm run faults   plays the faults on two real nodes (Linux and root), and writes docs/faults.md`;

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return console.log(USAGE);
  if (args.length > 0) throw new Error(`unknown: ${args.join(' ')}\n${USAGE}`);
  using interrupt = interruptSignal();
  const cluster = await clusterUp({ name: CLUSTER, node: 'real', nodes: 2, progress, signal: interrupt.signal });
  const operators: OperatorProcess[] = [];
  let stopped: number | undefined;
  try {
    for (const { containerdSocket } of cluster.realNodes)
      await importImages(['torch-examples', 'kubectl-delivery'], { containerdSocket, progress });
    const logFolder = await mkdtemp(join(tmpdir(), 'muster-faults-'));
    const access = await loadCluster({ kubeconfig: cluster.kubeconfig });
    const client = createKubeClient(access, { userAgent: 'muster-faults' });
    for (const framework of OPERATORS) {
      for (const definition of FRAMEWORKS[framework])
        await client.apply(CUSTOM_RESOURCE_DEFINITIONS, crdFor(definition), { force: true });
      const where = { kubeconfig: cluster.kubeconfig, namespaces: [NAMESPACE], logFolder };
      operators.push(new OperatorProcess({ framework, ...where, flags: [] }));
    }
    for (const operator of operators) await operator.ready(interrupt.signal);
    const second = cluster.realNodes[1]?.name ?? '';
    const kubelet = await kubeletOf(cluster);
    const place: Place = {
      ...{ client, namespace: NAMESPACE, second },
      stopKubelet: () => {
        stopped = kubelet;
        process.kill(kubelet, 'SIGSTOP');
      },
    };
    const verdicts = await playAll(place, interrupt.signal);
    await client.close();
    await writeFile(PAGE, faultTable(verdicts));
    const wrong = verdicts.filter(({ isRight }) => !isRight);
    for (const { fault, said } of wrong)
      console.error(`wrong: ${fault.name}: expected ${JSON.stringify(fault.expected)}, said ${JSON.stringify(said)}`);
    console.log(`${verdicts.length - wrong.length} of ${verdicts.length} are right; see docs/faults.md`);
    if (1 - wrong.length / verdicts.length < SHARE_WANTED) process.exitCode = 1;
  } finally {
    if (stopped !== undefined) process.kill(stopped, 'SIGCONT');
    for (const operator of operators) await operator.stop();
    await clusterDown({ name: CLUSTER, progress });
  }
}

/** The loss of the node comes last: what runs there would be lost as well. */
async function playAll(place: Place, signal: AbortSignal): Promise<Verdict[]> {
  const all = faults(place.second);
  const isLoss = ({ name }: { name: string }) => name === 'node-lost';
  const first = await Promise.all(
    all
      .filter((fault) => !isLoss(fault))
      .map(async (fault) => {
        const verdict = await verdictOn(fault, place);
        console.error(`${verdict.isRight ? 'right' : 'WRONG'}: ${fault.name}`);
        signal.throwIfAborted();
        return verdict;
      }),
  );
  const last: Verdict[] = [];
  for (const fault of all.filter(isLoss)) last.push(await verdictOn(fault, place));
  return [...first, ...last];
}

/** One fault that cannot be brought about is no reason not to tell of the others. */
async function verdictOn(fault: Fault, place: Place): Promise<Verdict> {
  try {
    return await playFault(fault, place);
  } catch (error) {
    console.error(`${fault.name} cannot be played: ${String(error)}`);
    return { fault, said: undefined, isRight: false };
  }
}

/** The process of the second node's kubelet: what is on record is the one that entered the node for it. */
async function kubeletOf({ name }: Pick<Cluster, 'name'>): Promise<number> {
  const { components } = await clusterStatus({ name });
  const pid = components.find((each) => each.name === 'kubelet-2')?.pid ?? 0;
  const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  // Process 0 would be all of this run's own.
  if (!/^\d+$/.test(child)) throw new Error(`the kubelet of the second node does not run (process ${pid})`);
  return Number(child);
}

await main(process.argv.slice(2));
