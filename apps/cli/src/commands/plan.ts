/** `muster plan -f job.yaml`: prints the objects that jobs would get, as YAML. No cluster is asked. */
import { gangSchedulerNamed, type GangSettings } from '@muster/common-job-controller';
import { ANNOTATIONS, SERVICE_MODES, type KubeObject, type ServiceMode } from '@muster/job-api';
import { Option, type Command } from 'commander';
import { stringify } from 'yaml';
import { readManifests } from '../manifest-file.ts';
import { plannedObjects, unreadParts, warnings } from '../planned-objects.ts';

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
    .description('Print the objects that the jobs of a file would get, without a cluster.')
    .requiredOption('-f, --filename <file>', 'the manifest, or - for standard input')
    .option('-n, --namespace <namespace>', 'for jobs that name none', 'default')
    .addOption(new Option('--service-mode <mode>', "the operator's").choices(SERVICE_MODES).default('PerJob'))
    .option('--cluster-domain <domain>', "the cluster's DNS domain", 'cluster.local')
    .option('--gang-scheduler-name <name>', "the operator's", '')
    .option('--gang-schedulers <names>', "the operator's: others that a job may name, separated by commas", '')
    .addOption(
      new Option('--validate <mode>', 'what becomes of fields that a job does not have: an error, a warning or nothing')
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
      const manifests = await readManifests(options.filename).catch((error: unknown) =>
        command.error(`error: ${error instanceof Error ? error.message : String(error)}`),
      );
      const settings = { ...options, ...gangSettings(options, manifests), manifests };
      const planned = manifests.map((manifest) => plannedObjects(manifest, settings));
      const unread = options.validate === 'ignore' ? [] : inDocuments(manifests.map(unreadParts));
      if (options.validate === 'warn') for (const each of unread) process.stderr.write(`warning: ${each}\n`);
      const problems = [
        ...inDocuments(planned.map((job) => ('problems' in job ? job.problems : []))),
        ...(options.validate === 'strict' ? unread : []),
      ];
      if (problems.length > 0) command.error(`error: ${options.filename} cannot be run:\n${problems.join('\n')}`);
      const warned = inDocuments(manifests.map((manifest) => warnings(manifest, settings)));
      for (const each of warned) process.stderr.write(`warning: ${each}\n`);
      const objects = planned.flatMap((job) => ('objects' in job ? job.objects : []));
      const yaml = objects.map((object) =>
        stringify(object, { aliasDuplicateObjects: false, lineWidth: 0, compat: 'yaml-1.1' }),
      );
      process.stdout.write(yaml.join('---\n'));
    });
}

/** The flags' and those that the jobs name: nobody here knows what the operator was started with. */
function gangSettings({ gangSchedulerName, gangSchedulers }: Options, manifests: readonly KubeObject[]): GangSettings {
  const others = gangSchedulers.split(',').map((name) => name.trim());
  const named = manifests.map(({ metadata }) => metadata?.annotations?.[ANNOTATIONS.gangScheduler] ?? '');
  return {
    gang: startingAtOnce(gangSchedulerName),
    gangs: [...others, ...named].flatMap((name) => startingAtOnce(name) ?? []),
  };
}

/** With the pods that it holds back until their group is let in. */
function startingAtOnce(name: string): GangSettings['gang'] {
  const gang = gangSchedulerNamed(name);
  return gang?.groups ? { ...gang, groups: { ...gang.groups, waitsFor: () => undefined } } : gang;
}

function inDocuments(said: readonly (readonly string[])[]): string[] {
  return said.flatMap((each, index) => each.map((problem) => `document ${index + 1}: ${problem}`));
}
