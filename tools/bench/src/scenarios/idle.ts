/**
 * The cost of an idle operator. Without jobs: the time from the start of the process until `/readyz` succeeds, and its memory when it has
 * settled, measured on the bundle (the content of an image). The floor is a bare HTTP server of Node; both alternate, so that they see the
 * same machine. Then beside many jobs that keep running.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { bundle, NODE_FLAGS } from '@muster/bundle';
import { figure } from '../figure.ts';
import { idleAmongJobs, nodesForIdleJobs } from '../jobs/idle-among-jobs.ts';
import type { Scenario } from '../scenario.ts';
import { cpuSeconds, residentMB, startServer, stopServer } from '../server-process.ts';

const SETTLE_MS = 10_000;
const JOBS = 1000;
const READY_TARGET_SECONDS = 0.3;
const RESIDENT_TARGET_MB = 110;

const BARE_SERVER = `
  const server = require('node:http').createServer((_request, response) => response.end('ok'));
  server.listen(0, '127.0.0.1', () => console.log('"port":' + server.address().port));
`;

interface Sample {
  readySeconds: number;
  startCpuSeconds: number;
  residentMB: number;
  /** While settling, in thousandths of a processor. */
  idleMilliCpu: number;
}

export const idle: Scenario = {
  summary: `an operator without jobs: time to ready and memory; and its cost while ${JOBS} jobs (--size) run for 5 minutes (--minutes)`,
  defaults: { size: JOBS, minutes: 5 },
  nodes: nodesForIdleJobs,
  async run(context) {
    const { file, bytes } = await bundle(context.framework);
    const { kubeconfig, namespace } = context;
    const where = ['--kubeconfig', kubeconfig, '--namespace', namespace, '--leader-election-namespace', namespace];
    const operator = [...NODE_FLAGS, file, '--port', '0', '--host', '127.0.0.1', ...where];
    const operators: Sample[] = [];
    const floors: Sample[] = [];
    for (let run = 1; run <= context.runs; run++) {
      context.note(`idle: run ${run} of ${context.runs}`);
      floors.push(await sample(['-e', BARE_SERVER], '/'));
      operators.push(await sample(operator, '/readyz'));
    }
    const compare = (key: keyof Sample, digits: number, target?: number) =>
      figure(
        operators.map((one) => one[key]),
        floors.map((one) => one[key]),
        digits,
        target,
      );
    return {
      bundleMB: Number((bytes / 1e6).toFixed(2)),
      readySeconds: compare('readySeconds', 3, READY_TARGET_SECONDS),
      residentMB: compare('residentMB', 1, RESIDENT_TARGET_MB),
      startCpuSeconds: compare('startCpuSeconds', 2),
      idleMilliCpu: operators.map((one) => Number(one.idleMilliCpu.toFixed(1))),
      withJobs: await idleAmongJobs(context),
    };
  },
};

async function sample(args: readonly string[], path: string): Promise<Sample> {
  const { child, readySeconds } = await startServer(args, path, {});
  const startCpuSeconds = await cpuSeconds(child);
  await sleep(SETTLE_MS);
  const idleMilliCpu = (((await cpuSeconds(child)) - startCpuSeconds) / SETTLE_MS) * 1e6;
  const resident = await residentMB(child);
  await stopServer(child);
  return { readySeconds, startCpuSeconds, residentMB: resident, idleMilliCpu };
}
