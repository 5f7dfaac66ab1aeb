/** Recorded runs have no values of environment variables, and are planned again without differences, for each kind of job. */
import { fileURLToPath } from 'node:url';
import { mpiAdapter } from '@muster/adapter-mpi';
import { pytorchAdapter } from '@muster/adapter-pytorch';
import {
  newWorld,
  objectsOf,
  ownedKinds,
  planOrFailure,
  type FrameworkAdapter,
  type JobManifest,
  type PlannedRun,
  type World,
} from '@muster/common-job-controller';
import { admitted, mpiJobDefinition, pytorchJobDefinition } from '@muster/job-api';
import {
  HiddenValues,
  hiddenRun,
  plannedRunOf,
  recordedLines,
  recordIn,
  recordOf,
  Replay,
  taggedJson,
} from '@muster/recording';
import { describe, expect, it } from 'vitest';
import { recordedAdapter } from './recorded-adapters.ts';
import { replayReport } from './replay-report.ts';

const SAMPLE = fileURLToPath(new URL('../../test-support/recorded-runs.jsonl.gz', import.meta.url));
const SETTINGS = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;
const METADATA = { name: 'pi', namespace: 'team', uid: '1', generation: 1 };
const VARIABLES = [
  { name: 'API_TOKEN', value: 'token-hush-hush' },
  { name: 'MODE', value: 'hush-hush' },
];

/** Adds variables to each container. */
function withVariables<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => withVariables(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]: [string, unknown]) => {
    if (!/^(init)?containers$/i.test(key) || !Array.isArray(item)) return [key, withVariables(item)] as const;
    return [key, item.map((each: { env?: object[] }) => ({ ...each, env: [...(each.env ?? []), ...VARIABLES] }))];
  });
  return Object.fromEntries(entries) as T;
}

function runOf(adapter: FrameworkAdapter, world: World): PlannedRun {
  return { adapter, world, settings: SETTINGS, plan: planOrFailure(adapter, world, SETTINGS).plan };
}

function hiddenLine(run: PlannedRun): string {
  const hidden = hiddenRun(new HiddenValues(), run);
  if (hidden === undefined) throw new Error('the run has another plan without the values');
  return taggedJson(recordOf(hidden));
}

const template = { spec: { containers: [{ name: 'pytorch', image: 'registry.example/a:1', env: VARIABLES }] } };
const PYTORCH_JOB: JobManifest = admitted(pytorchJobDefinition, {
  metadata: METADATA,
  spec: { pytorchReplicaSpecs: { Master: { template }, Worker: { replicas: 2, template } } },
});
const MPI_JOB: JobManifest = admitted(mpiJobDefinition, {
  apiVersion: 'kubeflow.org/v2beta1',
  metadata: METADATA,
  spec: { mpiReplicaSpecs: { Launcher: { template }, Worker: { replicas: 2, template } } },
});

describe('a recorded run without values of environment variables', () => {
  it('has none in the World and in the created pods', () => {
    const run = runOf(pytorchAdapter(), newWorld(PYTORCH_JOB, 0));
    expect(taggedJson(recordOf(run))).toContain('hush-hush');
    const line = hiddenLine(run);
    expect(line).not.toContain('hush-hush');
    expect(recordIn(line).plan.writes.filter(({ op, kind }) => op === 'create' && kind === 'Pod')).toHaveLength(3);
    expect(line).toContain('"name":"WORLD_SIZE","value":"3"');
  });

  it('has none that the operator copies into a message', () => {
    const adapter: FrameworkAdapter = {
      ...pytorchAdapter(),
      problems: ({ spec }) => [{ path: 'spec', message: `cannot run ${JSON.stringify(spec)}` }],
    };
    const run = runOf(adapter, newWorld(PYTORCH_JOB, 0));
    expect(JSON.stringify(run.plan.status)).toContain('hush-hush');
    expect(hiddenLine(run)).not.toContain('hush-hush');
  });

  it('does not exist if the plan depends on a value', () => {
    const adapter: FrameworkAdapter = {
      ...pytorchAdapter(),
      problems: ({ spec }) => (JSON.stringify(spec).includes('hush-hush') ? [{ path: 'spec', message: 'no' }] : []),
    };
    expect(hiddenRun(new HiddenValues(), runOf(adapter, newWorld(PYTORCH_JOB, 0)))).toBeUndefined();
  });

  it('keeps an object that was created from the same template', () => {
    const adapter = mpiAdapter();
    const created = objectsOf(adapter, MPI_JOB, SETTINGS).filter(({ kind }) => kind === 'Job');
    expect(created).toHaveLength(1);
    const kind = ownedKinds(adapter, undefined).find(({ resource }) => resource.kind === 'Job');
    const ownedResources = created.flatMap((object) => {
      const metadata = { ...object.metadata, namespace: 'team', uid: 'launcher' };
      return kind === undefined ? [] : [{ kind, object: { ...object, spec: {}, metadata } }];
    });
    const run = runOf(adapter, { ...newWorld(MPI_JOB, 0), ownedResources });
    const replay = new Replay(() => adapter);
    replay.add(hiddenLine(run), 'runs.jsonl:1');
    expect(replayReport(replay)).toBe('1 recorded run planned again: no differences\n');
    const { metadata } = recordIn(hiddenLine(run)).world.ownedResources[0]?.object ?? {};
    expect(metadata?.annotations).not.toEqual(created[0]?.metadata?.annotations);
  });

  it('is planned again without differences on each recorded decision path', { timeout: 240_000 }, async () => {
    const replay = new Replay(recordedAdapter);
    const values = new HiddenValues();
    for await (const { line, place } of recordedLines(SAMPLE)) {
      const record = recordIn(line);
      const adapter = recordedAdapter(record.kind);
      if (adapter === undefined) continue;
      const { world: seen, settings } = plannedRunOf(adapter, record);
      const world = { ...seen, manifest: withVariables(seen.manifest) };
      const { plan } = planOrFailure(adapter, world, settings);
      const hidden = hiddenRun(values, { adapter, settings, world, plan });
      expect(hidden, place).toBeDefined();
      const recorded = hidden === undefined ? '' : taggedJson(recordOf(hidden));
      expect(recorded.includes('hush-hush'), place).toBe(false);
      replay.add(recorded, place);
    }
    expect(replayReport(replay)).toMatch(/^\d{4} recorded runs planned again: no differences\n$/);
  });
});
