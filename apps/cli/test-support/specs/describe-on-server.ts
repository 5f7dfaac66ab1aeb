/** Tests of the manifests of all kinds on a real API server. */
import { testCluster } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manifestOf } from './campaign.ts';
import { SOURCES } from './manifest-arbitrary.ts';
import { disagreement, objectDisagreements, type Disagreement } from './server-agreement.ts';
import { installKinds, runOnServer, startOperators } from './server-run.ts';
import { specKinds } from './spec-kind.ts';

export interface OnServer {
  readonly seed: number;
  /** Manifests of each kind and source that the API server validates without storing them. */
  readonly validated: number;
  /** Manifests of each kind and source that the operators run. */
  readonly run: number;
}

const AT_ONCE = 5;

/** All tests of a file run at the same time. */
const LIMIT_MS = 600_000;

export async function describeOnServer({ seed, validated, run }: OnServer): Promise<void> {
  const cluster = await testCluster();
  const { client } = cluster;
  const kinds = specKinds();
  let namespace = '';
  let operators: Awaited<ReturnType<typeof startOperators>> | undefined;
  let made = 0;

  beforeAll(async () => {
    await installKinds(client);
    namespace = await cluster.namespace();
    operators = await startOperators(client, namespace);
  });
  afterAll(() => operators?.stop());

  const cases = kinds.flatMap((kind) => SOURCES.map((source) => [`${kind.name} ${source}`, kind, source] as const));

  const inBatches = async (count: number, each: (number: number) => Promise<void>) => {
    for (let first = 0; first < count; first += AT_ONCE) {
      const numbers = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, at) => first + at);
      await Promise.all(numbers.map(each));
    }
  };

  // Volcano's CRD is not Muster's: its Jobs are validated by the operator.
  describe.concurrent.each(cases.filter(([, { framework }]) => framework === undefined))(
    '%s',
    (_name, kind, source) => {
      it(
        'is accepted or refused by the API server like by `muster plan`, and a refusal names a field',
        async () => {
          const found: Disagreement[] = [];
          await inBatches(validated, async (number) => {
            const different = await disagreement(client, kind, manifestOf(kind, source, seed, number), namespace);
            if (different !== undefined) found.push(different);
          });
          expect(found).toEqual([]);
        },
        LIMIT_MS,
      );
    },
  );

  describe.concurrent.each(cases)('%s', (_name, kind, source) => {
    it(
      'has pods that the API server accepts or refuses like `muster plan`',
      async () => {
        const found: Disagreement[] = [];
        await inBatches(validated, async (number) => {
          found.push(...(await objectDisagreements(client, kind, manifestOf(kind, source, seed, number), namespace)));
        });
        expect(found).toEqual([]);
      },
      LIMIT_MS,
    );

    it(
      'has pods or a condition that says why not, under the real operator',
      async () => {
        let accepted = 0;
        await inBatches(run, async (number) => {
          made++;
          const place = { namespace, number: made };
          if (await runOnServer(client, kind, manifestOf(kind, source, seed, number), place)) accepted++;
        });
        if (run >= 10) expect(accepted).toBeGreaterThan(0);
      },
      LIMIT_MS,
    );
  });
}
