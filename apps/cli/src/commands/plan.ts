/** `muster plan -f job.yaml`: prints the objects that operators would create for jobs, as YAML, without a cluster. */
import { gangSchedulerNamed, type GangSettings } from '@muster/common-job-controller';
import { ANNOTATIONS, SERVICE_MODES, type KubeObject, type ServiceMode } from '@muster/job-api';
import { Option, type Command } from 'commander';
import { yamlText } from '@muster/kubernetes-yaml';
import { contradiction } from '../jobs/submission.ts';
import { readManifests, type ManifestFile, type ManifestOfFile } from '../manifest-file.ts';
import { endWithError } from '../terminal/end-with-error.ts';
import { note, out, warn } from '../terminal/output.ts';
import { isOtherObject } from '../planned-kinds.ts';
import { plannedObjects, ignoredParts, warnings, withGeneratedName } from '../planned-objects.ts';

interface Options {
  filename: string;
  namespace: string;
  serviceMode: ServiceMode;
  clusterDomain: string;
  gangSchedulerName: string;
  gangSchedulers: string;
  validate: (typeof VALIDATIONS)[number];
}

/** As kubectl's. */
const VALIDATIONS = ['strict', 'warn', 'ignore'] as const;

export function registerPlanCommand(program: Command): void {
  program
    .command('plan')
    .description('Print the objects that operators would create for the jobs of a file, without a cluster.')
    .requiredOption('-f, --filename <file>', 'manifest, or - for standard input')
    .option('-n, --namespace <namespace>', 'namespace of jobs without one', 'default')
    .addOption(
      new Option('--service-mode <mode>', 'service mode of the operator').choices(SERVICE_MODES).default('PerJob'),
    )
    .option('--cluster-domain <domain>', 'DNS domain of the cluster', 'cluster.local')
    .option('--gang-scheduler-name <name>', 'gang scheduler of the operator', '')
    .option(
      '--gang-schedulers <names>',
      'other gang schedulers of the operator that a job may name, separated by commas',
      '',
    )
    .addOption(
      new Option('--validate <mode>', 'handling of unknown fields: an error, a warning, or ignored')
        .choices(VALIDATIONS)
        .default('strict'),
    )
    .addHelpText(
      'after',
      `
Examples:
  muster plan -f job.yaml
  muster plan -f job.yaml --service-mode PerReplica
  muster plan -f job.yaml --gang-scheduler-name volcano
  kustomize build . | muster plan -f -`,
    )
    .action(async (options: Options, command: Command) => {
      const file = await readManifests(options.filename).catch((error: unknown) =>
        endWithError(command, error instanceof Error ? error.message : String(error)),
      );
      const { jobs, notes } = jobsOf(file);
      if (command.getOptionValueSource('namespace') === 'cli') refuseOthers(jobs, options.namespace, command);
      const manifests = file.manifests.map(({ object }) => object);
      const settings = { ...options, ...gangSettings(options, manifests), manifests };
      const planned = jobs.map((manifest) => ({ manifest, job: plannedObjects(manifest.object, settings) }));
      const unread = options.validate === 'ignore' ? [] : linesOf(jobs, ignoredParts);
      const problems = [
        ...planned.flatMap(({ manifest, job }) =>
          'problems' in job ? job.problems.map((problem) => `${whereIs(manifest)}: ${problem}`) : [],
        ),
        ...(options.validate === 'strict' ? unread : []),
      ];
      if (options.validate === 'warn') for (const each of unread) warn(each);
      if (problems.length > 0) endWithError(command, `${options.filename} is invalid:\n${problems.join('\n')}`);
      const warned = [...file.warnings, ...linesOf(jobs, (manifest) => warnings(manifest, settings))];
      for (const each of warned) warn(each);
      for (const each of notes) note(`note: ${each}`);
      const objects = planned.flatMap(({ job }) => ('objects' in job ? job.objects : []));
      out(objects.map(yamlText).join('---\n'));
    });
}

/** Refuses jobs in another namespace than -n, as `submit` does. */
function refuseOthers(jobs: readonly ManifestOfFile[], namespace: string, command: Command): void {
  for (const { object, place } of jobs) {
    const own = object.metadata?.namespace ?? '';
    if (own === '' || own === namespace) continue;
    const { message, exitCode } = contradiction(place, object, namespace);
    endWithError(command, message, exitCode);
  }
}

/** The jobs, each with a name. Other objects are left out; in a file without any job, each object is an error. */
function jobsOf({ manifests }: ManifestFile): { jobs: ManifestOfFile[]; notes: string[] } {
  const hasJob = manifests.some(({ object }) => !isOtherObject(object));
  const isOther = ({ object }: ManifestOfFile) => hasJob && isOtherObject(object);
  const jobs = manifests.filter((manifest) => !isOther(manifest));
  const unnamed = jobs.filter(({ object }) => withGeneratedName(object) !== object);
  return {
    jobs: jobs.map((manifest) => ({ ...manifest, object: withGeneratedName(manifest.object) })),
    notes: [
      ...manifests
        .filter(isOther)
        .map(({ object, place }) => `${place}: ${object.kind} ${object.metadata?.name} is not a job and is left out`),
      ...unnamed.map(({ place }) => `${place}: the API server generates the last five characters of the name (xxxxx)`),
    ],
  };
}

function linesOf(jobs: readonly ManifestOfFile[], lines: (manifest: KubeObject) => readonly string[]): string[] {
  return jobs.flatMap((manifest) => lines(manifest.object).map((line) => `${whereIs(manifest)}: ${line}`));
}

/** With the name of an item of a list: a list from `kubectl get` is long, and its reader cannot count the items. */
function whereIs({ object: { kind, metadata }, place, isItem }: ManifestOfFile): string {
  const { namespace, name = '' } = metadata ?? {};
  return isItem ? `${place} (${kind} ${namespace === undefined ? '' : `${namespace}/`}${name})` : place;
}

/** Gang schedulers of the flags and of the jobs, because the flags of the operator are unknown here. */
function gangSettings({ gangSchedulerName, gangSchedulers }: Options, manifests: readonly KubeObject[]): GangSettings {
  const others = gangSchedulers.split(',').map((name) => name.trim());
  const named = manifests.map(({ metadata }) => metadata?.annotations?.[ANNOTATIONS.gangScheduler] ?? '');
  return {
    gang: gangSchedulerNamed(gangSchedulerName),
    gangs: [...others, ...named].flatMap((name) => gangSchedulerNamed(name) ?? []),
  };
}
