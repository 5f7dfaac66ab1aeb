import { describe, expect, it } from 'vitest';
import { ACCEPTED, job, REFUSED, role } from '../test/pytorch-job-cases.ts';
import { admitted, problemsOf } from './problems-of.ts';
import { pytorchJobDefinition } from './pytorch-job.ts';

const problems = (manifest: object) => problemsOf(pytorchJobDefinition, manifest);

describe('problemsOf', () => {
  it.each(REFUSED.map((refused) => [refused.what, refused] as const))(
    'refuses %s',
    (_what, { manifest, path, says }) => {
      const [first] = problems(manifest);
      expect(first?.path).toBe(path);
      expect(first?.message).toContain(says);
    },
  );

  it.each(ACCEPTED.map((accepted) => [accepted.what, accepted] as const))('accepts %s', (_what, { manifest }) => {
    expect(problems(manifest)).toEqual([]);
  });

  it('reports all problems at once', () => {
    const manifest = job({
      nprocPerNode: 'all',
      pytorchReplicaSpecs: { Worker: role({ restartPolicy: 'Sometimes' }) },
    });
    expect(problems(manifest).map(({ path }) => path)).toEqual([
      'spec.nprocPerNode',
      'spec.pytorchReplicaSpecs[Worker].restartPolicy',
    ]);
  });

  it('finds no fault with a status, whoever wrote it', () => {
    expect(problems({ ...job({ pytorchReplicaSpecs: { Worker: role() } }), status: { conditions: 'none' } })).toEqual(
      [],
    );
  });

  it('does not judge a name that the API server has yet to generate', () => {
    const manifest = { ...job({ pytorchReplicaSpecs: { Worker: role() } }), metadata: { generateName: 'mnist-' } };
    expect(problems(manifest)).toEqual([]);
  });
});

describe('admitted', () => {
  it('fills in the run policy and leaves the rest as written', () => {
    const spec = {
      pytorchReplicaSpecs: { Worker: role({ template: { metadata: { labels: { a: 'b' } }, ...role().template } }) },
    };
    expect(admitted(pytorchJobDefinition, job(spec))).toEqual(job({ ...spec, runPolicy: { suspend: false } }));
  });

  it('drops fields that the API does not have, and fields with nothing behind them', () => {
    const spec = { pytorchReplicaSpecs: { Worker: role() } };
    const { spec: stored } = admitted(pytorchJobDefinition, job({ ...spec, replicas: 3, nprocPerNode: null }));
    expect(stored).toEqual({ ...spec, runPolicy: { suspend: false } });
  });
});
