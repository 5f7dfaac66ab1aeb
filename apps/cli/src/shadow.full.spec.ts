/**
 * Muster in shadow mode beside the real upstream operators, on simulated nodes: over their users' manifests and over random jobs with
 * failures, each difference is documented, and nothing is written. Builds the operators if they are missing, which takes minutes.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { KindReport } from '@muster/shadow';
import { SeededRandom } from '@muster/common-job-controller/testing';
import { apiVersionOf, FRAMEWORKS, type FrameworkName, type KubeObject } from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import { UPSTREAM_OPERATORS, type UpstreamName } from '@muster/schedulers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { LifePlayer, randomLife } from '../test-support/random-lives.ts';
import { ShadowFixture } from '../test-support/shadow-fixture.ts';

const LIMIT_MS = 3_600_000;
const SEED = Number(process.env['MUSTER_TEST_SEED'] ?? 20_261_127);
const RANDOM_JOBS = Number(process.env['MUSTER_TEST_RANDOM_JOBS'] ?? 200);
const TOGETHER = 10;
const EXAMPLES = fileURLToPath(new URL('../../../examples/', import.meta.url));

const SIDES: readonly { readonly operator: UpstreamName; readonly frameworks: readonly FrameworkName[] }[] = [
  { operator: 'training-operator', frameworks: ['tensorflow', 'pytorch-elastic', 'xgboost', 'paddle', 'jax'] },
  { operator: 'mpi-operator', frameworks: ['mpi'] },
  { operator: 'kuberay', frameworks: ['ray'] },
];

/** Manifests in the form of a release after the one that runs. */
const NEWER: Readonly<Partial<Record<UpstreamName, readonly string[]>>> = { kuberay: ['with-rocksdb'] };

function manifestsOf(framework: FrameworkName): KubeObject[] {
  return globSync(`${framework}/upstream-forms/**/*.yaml`, { cwd: EXAMPLES }).flatMap((file) =>
    parseAllDocuments(readFileSync(`${EXAMPLES}/${file}`, 'utf8')).map((document) => document.toJS() as KubeObject),
  );
}

describe.each(SIDES)('beside $operator', { timeout: LIMIT_MS }, ({ operator, frameworks }) => {
  let fixture: ShadowFixture;

  beforeAll(async () => {
    fixture = await ShadowFixture.up(`shadow-${operator.slice(0, 4)}-${process.pid % 10_000}`, operator, frameworks);
  }, LIMIT_MS);

  afterAll(() => fixture?.down(), LIMIT_MS);

  /** The figures of docs/administrators/shadow.md, if this variable names a folder. */
  const keep = (name: string, reports: readonly KindReport[]) => {
    const folder = process.env['MUSTER_TEST_SHADOW'];
    if (folder !== undefined) writeFileSync(`${folder}/${operator}-${name}.json`, JSON.stringify(reports));
  };

  const unknown = (reports: readonly KindReport[]) => reports.flatMap((report) => report.unknown);

  it("explains every difference over its users' manifests", async () => {
    const resources = frameworks.flatMap((name) => FRAMEWORKS[name].map(({ resource }) => resource));
    const isServed = ({ kind, apiVersion }: KubeObject) =>
      resources.some((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
    const manifests = frameworks.flatMap(manifestsOf).filter(isServed);
    const rejected: string[] = [];
    for (const manifest of manifests) {
      const resource = resources.find(({ kind }) => kind === manifest.kind);
      if (resource === undefined) continue;
      const { namespace: _other, ...metadata } = manifest.metadata ?? {};
      try {
        await fixture.client.create(resource, { ...manifest, metadata: { ...metadata, namespace: 'default' } });
      } catch (error) {
        if (!isKubeError(error, 'Invalid')) throw error;
        rejected.push(metadata.name ?? '');
      }
    }
    expect(rejected).toEqual(NEWER[operator] ?? []);
    const reports = await fixture.compared('default', manifests.length - rejected.length);
    keep('manifests', reports);
    expect(unknown(reports)).toEqual([]);
  });

  it.runIf(operator === 'training-operator')(
    `explains every difference over ${RANDOM_JOBS} random jobs with failures, seed ${SEED}`,
    async () => {
      const random = new SeededRandom(SEED);
      const lives = Array.from({ length: RANDOM_JOBS }, (_each, index) => randomLife(random, `random-${index}`));
      const namespace = await fixture.namespace('random');
      const player = new LifePlayer(fixture.client, namespace);
      const left = [...lives];
      const worker = async () => {
        for (let life = left.shift(); life !== undefined; life = left.shift()) await player.play(life);
      };
      await Promise.all(Array.from({ length: TOGETHER }, worker));
      const reports = await fixture.compared(namespace, RANDOM_JOBS);
      keep('random', reports);
      expect(unknown(reports)).toEqual([]);
      const steps = reports.flatMap(({ times }) => times.map(({ step }) => step));
      expect(steps).toEqual(expect.arrayContaining(['create Pod', 'Running', 'Succeeded', 'Failed']));
    },
  );

  it('writes nothing', async () => {
    const requests = await fixture.requests();
    const verbs = new Set(requests.map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}`));
    expect(verbs).toContain('watch pods');
    const reviews = 'create selfsubjectaccessreviews';
    expect([...verbs].filter((each) => !/^(get|list|watch) /.test(each) && each !== reviews)).toEqual([]);
  });
});

describe('the operators that it runs beside', () => {
  it('are those that Muster takes jobs over from', () => {
    expect(SIDES.map(({ operator }) => operator).sort()).toEqual(Object.keys(UPSTREAM_OPERATORS).sort());
  });
});
