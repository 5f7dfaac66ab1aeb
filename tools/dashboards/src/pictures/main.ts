/**
 * `npm run pictures`: pictures of the dashboards for docs/pictures, from a run on simulated nodes with data in every row. Takes about six
 * minutes, because the pictures show five.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterError, InterruptedError, interruptSignal, terminalProgress } from '@muster/cluster';
import { DashboardsBrowser } from '../browser/dashboards-browser.ts';
import { ensureChromium } from '../browser/ensure-chromium.ts';
import { DashboardsError } from '../dashboards-error.ts';
import { makeFurtherJobs, makeLargeJob, resize, RESTARTED_JOB } from './picture-jobs.ts';
import { PICTURE_FRAMEWORK, PICTURE_NAMESPACES, type TestOperator, withTestOperator } from './picture-operator.ts';

const FOLDER = join(import.meta.dirname, '../../../../docs/pictures');
const UID = `muster-${PICTURE_FRAMEWORK}`;

/** Events by second of the run. */
const EVENTS: readonly { readonly second: number; readonly happens: (operator: TestOperator) => Promise<void> }[] = [
  { second: 40, happens: ({ client }) => makeFurtherJobs(client, PICTURE_NAMESPACES, PICTURE_FRAMEWORK) },
  { second: 41, happens: ({ client }) => resize(client, PICTURE_NAMESPACES, 7) },
  { second: 42, happens: ({ client }) => makeLargeJob(client, PICTURE_NAMESPACES) },
  { second: 150, happens: ({ client }) => resize(client, PICTURE_NAMESPACES, 2) },
  { second: 220, happens: ({ client }) => resize(client, PICTURE_NAMESPACES, 5) },
  { second: 300, happens: () => Promise.resolve() },
];

const WINDOW = { width: 1200, height: 900 };

const USAGE = `usage: npm run pictures   takes the pictures of the dashboards in docs/pictures, in about six minutes`;

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return console.log(USAGE);
  if (args.length > 0) throw new DashboardsError(`unknown argument: ${args.join(' ')}\n${USAGE}`);
  using interrupt = interruptSignal();
  const { signal } = interrupt;
  const progress = terminalProgress();
  const chromium = await ensureChromium(progress);
  await withTestOperator(progress, signal, async (operator) => {
    await progress.step('Letting jobs run for five minutes', async () => {
      const start = performance.now();
      for (const { second, happens } of EVENTS) {
        const waitMs = start + second * 1000 - performance.now();
        await sleep(Math.max(waitMs, 0), undefined, { signal }).catch(() => signal.throwIfAborted());
        await happens(operator);
      }
    });
    await progress.step('Taking the pictures', () => takePictures(chromium, operator.url));
  });
}

async function takePictures(chromium: string, url: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const browser = await DashboardsBrowser.launch(chromium);
  try {
    const ofJob = { 'var-namespace': PICTURE_NAMESPACES.speech, 'var-job': RESTARTED_JOB };
    // Only the upper part of each dashboard, to limit the size of the files.
    const pictures = [
      { name: 'operator', chosen: {}, window: WINDOW, lastPanel: 'Queue depth over time' },
      { name: 'jobs', chosen: {}, window: WINDOW, lastPanel: 'Jobs by state' },
      { name: 'time', chosen: {}, window: WINDOW, lastPanel: 'Resources held by account' },
      { name: 'job', chosen: ofJob, window: { ...WINDOW, isDark: true }, lastPanel: 'Pods by role' },
    ];
    for (const { name, chosen, window, lastPanel } of pictures) {
      const address = new URLSearchParams({ from: 'now-5m', to: 'now', refresh: '', ...chosen });
      const view = await browser.open(`${url}/d/${UID}-${name}?${address.toString()}`, window);
      await view.picture(`${join(FOLDER, name)}.png`, lastPanel);
      await view.close();
    }
  } finally {
    await browser.close();
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const known = [ClusterError, DashboardsError, InterruptedError].some((kind) => error instanceof kind);
  if (!known) throw error;
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = error instanceof InterruptedError ? error.exitCode : 1;
}
