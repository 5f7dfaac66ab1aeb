/** Shows one framework: installs its CRDs and operator, and runs its jobs at the same time until all end. */
import { join } from 'node:path';
import { cacheFolder, type Progress } from '@muster/cluster';
import type { KubeObject, Resource } from '@muster/job-api';
import { installOperators, OperatorProcess } from '@muster/install';
import { installCrds } from './crd-install.ts';
import type { DemoFramework } from './demo-job.ts';
import { DEMO_NAMESPACE } from './demo-namespace.ts';
import { type JobReport, JobRun } from './job-run.ts';
import { fitManifest, type ForeignImage, readExample } from './manifest.ts';
import type { Place } from './place.ts';
import { shownJobs } from './shown-jobs.ts';
import { createView, type Terminal } from './view.ts';

const CONFIG_MAPS: Resource<KubeObject & { data?: Record<string, string> }> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

export interface FrameworkRunSettings {
  readonly place: Place;
  readonly framework: DemoFramework;
  /** The user's image for the pods. */
  readonly image: string | undefined;
  readonly terminal: Terminal;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/**
 * The namespace must exist. On a local cluster with real nodes the operator is installed with its chart and stays. Elsewhere it is a
 * process on this machine, which has ended when this settles.
 */
export async function runFramework(settings: FrameworkRunSettings): Promise<readonly JobReport[]> {
  const { place, framework } = settings;
  if (place.cluster?.containerdSocket !== undefined) {
    await installOperators([framework.name], { ...settings, cluster: place.cluster });
    return runJobs(settings, () => undefined);
  }
  const operator = await startProcess(settings);
  try {
    return await runJobs(settings, () => operator.check());
  } finally {
    await operator.stop();
  }
}

async function startProcess(settings: FrameworkRunSettings): Promise<OperatorProcess> {
  const { place, framework, progress, signal } = settings;
  await installCrds(place.client, framework.name, place.cluster !== undefined, signal);
  const operator = new OperatorProcess({
    framework: framework.name,
    kubeconfig: place.kubeconfig,
    namespaces: [DEMO_NAMESPACE],
    flags: framework.operatorFlags,
    logFolder: join(cacheFolder(), 'demo'),
  });
  try {
    await progress.step(`Starting the operator: muster operator ${framework.name}`, () => operator.ready(signal));
  } catch (error) {
    await operator.stop();
    throw error;
  }
  progress.note(`The operator writes its log to ${operator.log}`);
  return operator;
}

/** @param check throws when the operator has ended */
async function runJobs(settings: FrameworkRunSettings, check: () => void): Promise<readonly JobReport[]> {
  const { place, framework, image, terminal, progress, signal } = settings;
  const { shown, leftOut } = shownJobs(framework, image, place.trains);
  for (const { manifest } of leftOut) progress.note(`Left out: ${manifest}. It needs ${neededBy(settings)}.`);
  const foreign = await foreignImage(settings);
  const view = createView(terminal, signal);
  const runs: JobRun[] = [];
  for (const job of shown) {
    const example = await readExample(framework.name, job.manifest);
    const manifest = fitManifest(example, { namespace: DEMO_NAMESPACE, env: job.env, foreign });
    const run = new JobRun({
      client: place.client,
      job,
      manifest,
      trains: place.trains,
      signal,
      check,
      changed: () => view.show(runs.map(({ row }) => row)),
      print: (line) => view.print(run.key.name, line),
    });
    runs.push(run);
  }
  // Waits for all runs, even if one throws: nothing may be shown after the end.
  const settled = await Promise.allSettled(runs.map((run) => run.run()));
  view.end();
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

/** What the jobs that are left out need. */
function neededBy({ place, framework: { image, furtherImages = [image.name] } }: FrameworkRunSettings): string {
  return place.trains
    ? `an image that is built here: ${furtherImages.join(', ')}`
    : 'pods that run containers: use --node real';
}

/** Stores the program in a ConfigMap, for pods of an image that lacks it. */
async function foreignImage({ place, framework, image }: FrameworkRunSettings): Promise<ForeignImage | undefined> {
  if (image === undefined) return undefined;
  const { program } = framework;
  const name = `${framework.name}-program`;
  const data = { [program]: await readExample(framework.name, program) };
  await place.client.create(CONFIG_MAPS, { metadata: { namespace: DEMO_NAMESPACE, name }, data });
  return { image, program, configMap: name };
}
