/** The chart of all frameworks. */
import { FRAMEWORKS } from '@muster/job-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { chartFolder, helm, HELM_TIMEOUT_MS, renderedText, rendered } from '../test-support/helm.ts';
import { namesOfKind } from '../test-support/of-kind.ts';

const NAMES = Object.keys(FRAMEWORKS);

/** A framework that is enabled. */
const ON = { enabled: true, image: { repository: 'muster/operator' } };

describe('the chart muster', () => {
  beforeAll(() => helm(['version']), HELM_TIMEOUT_MS);

  it('passes helm lint --strict', async () => {
    const args = ['lint', '--strict', chartFolder('muster'), '--set', 'mpi.enabled=true,mpi.image.repository=x'];
    expect(await helm(args)).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  it('has nothing to install before a framework is chosen, and says so', async () => {
    await expect(renderedText('muster', {})).rejects.toThrow(
      `no framework is enabled: choose what you need, as with --set ${NAMES[0]}.enabled=true; there are ${NAMES.join(', ')}.`,
    );
  });

  it('installs the frameworks that are chosen, from one registry', async () => {
    const text = await renderedText('muster', { global: { imageRegistry: 'all.example' }, ray: ON, mpi: ON });
    const images = [...text.matchAll(/image: "(.*)"/g)].map(([, image]) => image);
    expect(new Set(images)).toEqual(new Set(['all.example/muster/operator:0.1.0']));
    expect(text).toContain('name: "rel-ray"');
    expect(text).not.toContain('name: "rel-mxnet"');
  });

  it('installs all of them side by side', async () => {
    const all = Object.fromEntries(NAMES.map((name) => [name, ON]));
    const objects = await rendered('muster', { image: undefined, ...all });
    expect(namesOfKind(objects, 'Deployment').sort()).toEqual(NAMES.map((name) => `muster/rel-${name}`).sort());
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata?.namespace} ${metadata?.name}`);
    expect(names.length).toBe(new Set(names).size);
  });

  it('marks the operators of a release with the chart that it is upgraded with', async () => {
    const parentOf = (objects: Awaited<ReturnType<typeof rendered>>) =>
      objects.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata?.annotations);
    const parts = await rendered('muster', { image: undefined, mpi: ON, ray: { ...ON, deploymentAnnotations: { a: 'b' } } });
    expect(parentOf(parts)).toEqual([
      { 'muster.dev/parent-chart': 'muster' },
      { 'muster.dev/parent-chart': 'muster', a: 'b' },
    ]);
    expect(parentOf(await rendered('ray', {}))).toEqual([undefined]);
  });

  it('refuses a framework that there is not, and a misspelt value of one', async () => {
    await expect(renderedText('muster', { caffe: ON })).rejects.toThrow("additional properties 'caffe' not allowed");
    await expect(renderedText('muster', { ray: { ...ON, watched: {} } })).rejects.toThrow(
      "additional properties 'watched' not allowed",
    );
  });
});
