/** The steps of `npm test`, `.ci/run` and `npm run e2e:full`, and which of them run where. */
import { globSync } from 'node:fs';
import { OLDEST_KUBERNETES_VERSION, PREVIOUS_KUBERNETES_VERSION } from '@muster/cluster';
import type { Step } from './step.ts';

/** Runs projects of vitest.config.ts that need a cluster. */
export interface ClusterStep extends Step {
  /** The JSON report, relative to the root. */
  readonly report: string;
  readonly projects: readonly string[];
  /** Only spec files below these folders. */
  readonly folders: readonly string[];
}

export function clusterStep(
  name: string,
  projects: readonly string[],
  folders: readonly string[] = ['apps/', 'libs/', 'tools/'],
  env: Readonly<Record<string, string>> = {},
): ClusterStep {
  const report = `reports/${name}.json`;
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const chosen = projects.flatMap((project) => ['--project', project]);
  return { name, command: ['vitest', 'run', ...chosen, ...folders, ...reporters], report, projects, folders, env };
}

/** Runs every case of the conformance suite for every kind. */
const EVERY_CASE = { MUSTER_TEST_CONFORMANCE: 'all' } as const;

const INTEGRATION = clusterStep('integration', ['integration']);
/** The steps below run the projects of the step above as well, on one cluster. */
const INTEGRATION_CI = clusterStep('integration-ci', ['integration', 'integration-ci']);
const E2E = clusterStep('e2e', ['e2e']);
/** The steps below run the projects of the step above as well, on one cluster. */
const E2E_CI = clusterStep('e2e-ci', ['e2e', 'e2e-ci']);
const E2E_FULL = clusterStep('e2e-full', ['e2e', 'e2e-ci', 'e2e-full']);
const INTEGRATION_FULL = clusterStep(
  'integration-full',
  [...INTEGRATION_CI.projects, 'integration-full'],
  undefined,
  EVERY_CASE,
);
const INTEGRATION_PREVIOUS = integrationOn(PREVIOUS_KUBERNETES_VERSION);
const INTEGRATION_OLDEST = integrationOn(OLDEST_KUBERNETES_VERSION);
const FULL = clusterStep('full', ['full']);

export const CLUSTER_STEPS: readonly ClusterStep[] = [
  INTEGRATION,
  INTEGRATION_CI,
  E2E,
  E2E_CI,
  E2E_FULL,
  FULL,
  INTEGRATION_FULL,
  INTEGRATION_PREVIOUS,
  INTEGRATION_OLDEST,
];

/** The integration tests on the API server of another supported release, as step `integration-<minor release>`. */
function integrationOn(kubernetesVersion: string): ClusterStep {
  return clusterStep(
    `integration-${kubernetesVersion.replace(/\.\d+$/, '')}`,
    INTEGRATION_CI.projects,
    ['apps/', 'libs/', 'tools/charts/'],
    { ...EVERY_CASE, MUSTER_TEST_KUBERNETES_VERSION: kubernetesVersion, MUSTER_TEST_KUBECONFIG: '' },
  );
}

/** Targets of Nx. The targets of a group run in parallel; vitest uses every core itself, so `unit` is a group of its own. */
export const TARGET_GROUPS = [['types', 'lint', 'format', 'knip', 'generated'], ['unit']] as const;

const TARGETS: readonly string[] = TARGET_GROUPS.flat();

/** Checks the unit tests (`mutants.ts`). */
export const MUTANTS: Step = { name: 'mutants', command: ['node', 'tools/verify/src/mutants.ts'] };

export const STEP_NAMES: readonly string[] = [...TARGETS, ...CLUSTER_STEPS.map(({ name }) => name), MUTANTS.name];

/** Names of groups of steps. */
export const SUITES: Readonly<Record<string, readonly string[]>> = {
  /** `npm test` */
  test: [...TARGETS, INTEGRATION.name, E2E.name],
  /** `.ci/run` */
  ci: [...TARGETS, INTEGRATION_CI.name, E2E_CI.name],
  /** `npm run e2e:full` */
  everything: [
    E2E_FULL.name,
    FULL.name,
    INTEGRATION_FULL.name,
    INTEGRATION_PREVIOUS.name,
    INTEGRATION_OLDEST.name,
    MUTANTS.name,
  ],
};

/**
 * Groups these steps into vitest runs, which follow one another. Steps with tests on an API server and on a real node share a run if they
 * need no settings of their own: their tests wait more than they compute.
 */
export function vitestRuns(steps: readonly ClusterStep[]): ClusterStep[] {
  const isShared = (step: ClusterStep) => step.name !== FULL.name && !hasSettings(step);
  const shared = steps.filter(isShared);
  const [first] = shared;
  if (first === undefined) return [...steps];
  const projects = [...new Set(shared.flatMap((step) => step.projects))];
  const one = clusterStep(shared.map(({ name }) => name).join('+'), projects, first.folders);
  return [one, ...steps.filter((step) => !isShared(step))];
}

function hasSettings({ env = {} }: ClusterStep): boolean {
  return Object.keys(env).length > 0;
}

/** Whether the step needs a real node. */
export function needsNode(name: string): boolean {
  return name.startsWith('e2e');
}

/** The steps after which every right of the charts must have been used. */
export const USE_EVERY_RIGHT: readonly string[] = [INTEGRATION_FULL.name, E2E_FULL.name];

/** The parts of `npm run e2e:full` (`full-runs.ts`) that the step covers: steps, and spec files that `npm test` and `.ci/run` leave out. */
export function partsOf(step: ClusterStep, root: string): string[] {
  const own = step.projects.filter((project) => project.endsWith('full'));
  const files = globSync(
    own.flatMap((project) => step.folders.map((folder) => `${folder}**/*.${project}.spec.ts`)),
    { cwd: root, exclude: (path) => path.includes('node_modules') },
  );
  return hasSettings(step) ? [step.name, ...files] : files;
}
