/** The chart of all frameworks. */
import { FRAMEWORKS } from '@muster/job-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { chartFolder, helm, HELM_TIMEOUT_MS, renderedText, rendered } from '../test-support/helm.ts';
import { namesOfKind } from '../test-support/of-kind.ts';

const NAMES = Object.keys(FRAMEWORKS);

/** Values of an enabled framework. */
const ON = { enabled: true, image: { repository: 'muster/operator' } };

describe('the chart muster', () => {
  beforeAll(() => helm(['version']), HELM_TIMEOUT_MS);

  it('passes helm lint --strict', async () => {
    const args = ['lint', '--strict', chartFolder('muster'), '--set', 'mpi.enabled=true,mpi.image.repository=x'];
    expect(await helm(args)).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  it('is rejected without an enabled framework', async () => {
    await expect(renderedText('muster', {})).rejects.toThrow(
      `no framework is enabled: enable at least one, for example with --set ${NAMES[0]}.enabled=true. Frameworks: ${NAMES.join(', ')}.`,
    );
  });

  it('installs the enabled frameworks, from one registry', async () => {
    const text = await renderedText('muster', { global: { imageRegistry: 'all.example' }, ray: ON, mpi: ON });
    const images = [...text.matchAll(/image: "(.*)"/g)].map(([, image]) => image);
    expect(new Set(images)).toEqual(new Set(['all.example/muster/operator:0.1.0']));
    expect(text).toContain('name: "rel-ray"');
    expect(text).not.toContain('name: "rel-mxnet"');
  });

  it('installs all frameworks together', async () => {
    const all = Object.fromEntries(NAMES.map((name) => [name, ON]));
    const objects = await rendered('muster', { image: undefined, ...all });
    expect(namesOfKind(objects, 'Deployment').sort()).toEqual(NAMES.map((name) => `muster/rel-${name}`).sort());
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata?.namespace} ${metadata?.name}`);
    expect(names.length).toBe(new Set(names).size);
  });

  it('marks operators with the parent chart by which they are upgraded', async () => {
    const parentOf = (objects: Awaited<ReturnType<typeof rendered>>) =>
      objects.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata?.annotations);
    const parts = await rendered('muster', { image: undefined, mpi: ON, ray: { ...ON, deploymentAnnotations: { a: 'b' } } });
    expect(parentOf(parts)).toEqual([
      { 'muster.dev/parent-chart': 'muster' },
      { 'muster.dev/parent-chart': 'muster', a: 'b' },
    ]);
    expect(parentOf(await rendered('ray', {}))).toEqual([undefined]);
  });

  it('rejects an unknown framework, and an unknown value of a framework', async () => {
    await expect(renderedText('muster', { caffe: ON })).rejects.toThrow("additional properties 'caffe' not allowed");
    await expect(renderedText('muster', { ray: { ...ON, watched: {} } })).rejects.toThrow(
      "additional properties 'watched' not allowed",
    );
  });
});
