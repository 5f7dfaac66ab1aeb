import type { KubeObject, Resource } from '@muster/job-api';
import { KubeError, type KubeClient, type WriteOptions } from '@muster/kube';
import { describe, expect, it } from 'vitest';
import { createAll, type Submission } from './submission.ts';

const CONFIG_MAPS: Resource = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
const NAMESPACES: Resource = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };

function submission(name: string, namespace = 'team', more: object = {}): Submission {
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, ...more };
  return { resource: CONFIG_MAPS, place: name, manifest };
}

const exists = new KubeError('create: there', { code: 409, reason: 'AlreadyExists' });

/**
 * @param refusals errors of creations by name; with the prefix `dry` of dry runs
 * @param stored the existing objects
 */
function clientThat(refusals: Readonly<Record<string, KubeError>>, stored: readonly KubeObject[] = []) {
  const requests: string[] = [];
  const create = (_resource: Resource, object: KubeObject, { dryRun = false }: WriteOptions = {}) => {
    const key = `${dryRun ? 'dry ' : ''}${object.metadata?.name}`;
    requests.push(key);
    return refusals[key] === undefined ? Promise.resolve(object) : Promise.reject(refusals[key]);
  };
  const get = (_resource: Resource, { name }: { name: string }) => {
    const found = stored.find(({ metadata }) => metadata?.name === name);
    const error = refusals[`get ${name}`] ?? new KubeError('get: no', { code: 404, reason: 'NotFound' });
    return found === undefined ? Promise.reject(error) : Promise.resolve(found);
  };
  return { requests, client: { create, get } as unknown as KubeClient };
}

async function made(
  all: readonly Submission[],
  refusals: Readonly<Record<string, KubeError>> = {},
  stored: readonly KubeObject[] = [],
) {
  const { requests, client } = clientThat(refusals, stored);
  const reported: string[] = [];
  const error = await createAll(client, all, {
    ...{ validation: 'strict', signal: new AbortController().signal, onSend: () => {} },
    onMade: ({ place }, _made, outcome) => reported.push(outcome === 'created' ? place : `${place} ${outcome}`),
  }).catch((thrown: unknown) => thrown);
  return { requests, reported, message: error instanceof Error ? error.message : undefined };
}

const refused = new KubeError('create: no', { code: 422, reason: 'Invalid' });
const lost = new KubeError('create configmaps "team/b": no answer', { code: 0, reason: 'Unreachable' });

describe('the submission of several objects', () => {
  const all = ['a', 'b', 'c'].map((name) => submission(name));

  it('tries all objects before it creates one, and reports each', async () => {
    const { requests, reported, message } = await made(all);
    expect({ requests, reported, message }).toEqual({
      requests: ['dry a', 'dry b', 'dry c', 'a', 'b', 'c'],
      reported: ['a', 'b', 'c'],
      message: undefined,
    });
  });

  it('creates no object if one is refused', async () => {
    const { reported, message } = await made(all, { 'dry b': refused });
    expect(reported).toEqual([]);
    expect(message).toBe('ConfigMap b is refused:\n  create: no\nNothing has been created.');
  });

  it('names all refused objects', async () => {
    const stored = { metadata: { name: 'a' }, data: { x: '1' } };
    expect((await made(all, { 'dry a': exists, 'dry c': refused }, [stored])).message).toBe(
      'ConfigMap a already exists, and differs from the file in data[x]: delete it (kubectl delete configmaps a -n team), or give it ' +
        'another name in the file.\n' +
        'ConfigMap c is refused:\n  create: no\nNothing has been created.',
    );
  });

  describe('the submission of several objects of which one exists', () => {
    const withProgram = (data: object) => [submission('a', 'team', { data }), submission('b')];
    const stored = (more: object): KubeObject[] => [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'team', uid: 'uid-a' }, ...more },
    ];

    it('creates the others if the existing one has the same content', async () => {
      const data = { 'train.py': 'print(1)' };
      const { requests, reported, message } = await made(withProgram(data), { 'dry a': exists }, stored({ data }));
      expect({ requests, reported, message }).toEqual({
        requests: ['dry a', 'dry b', 'b'],
        reported: ['a unchanged', 'b'],
        message: undefined,
      });
    });

    it('creates no object if another one is refused', async () => {
      const { reported, message } = await made(withProgram({}), { 'dry a': exists, 'dry b': refused }, stored({}));
      expect(reported).toEqual([]);
      expect(message).toBe('ConfigMap b is refused:\n  create: no\nNothing has been created.');
    });

    it('creates no object if the existing one differs, and names the field and the next step', async () => {
      const { reported, message } = await made(
        withProgram({ 'train.py': 'print(2)' }),
        { 'dry a': exists },
        stored({ data: { 'train.py': 'print(1)' } }),
      );
      expect(reported).toEqual([]);
      expect(message).toBe(
        'ConfigMap a already exists, and differs from the file in data[train.py]: delete it (kubectl delete configmaps a -n team), or ' +
          'give it another name in the file.\nNothing has been created.',
      );
    });

    it('accepts an object that was created at the same time with the same content', async () => {
      expect((await made(withProgram({}), { a: exists }, stored({}))).reported).toEqual(['a unchanged', 'b']);
    });

    it('creates no object if the existing one cannot be read', async () => {
      const forbidden = new KubeError('get: configmaps "a" is forbidden', { code: 403, reason: 'Forbidden' });
      const { message } = await made(withProgram({}), { 'dry a': exists, 'get a': forbidden });
      expect(message).toContain('ConfigMap a already exists, and cannot be read to compare it with the file: delete');
    });
  });

  it('accepts a single object that exists with the same content', async () => {
    const stored = { metadata: { name: 'a', namespace: 'team' }, data: {} };
    expect((await made([submission('a')], { a: exists }, [stored])).reported).toEqual(['a unchanged']);
  });

  it('refuses a job that exists, whatever its content', async () => {
    const job = { apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob', metadata: { name: 'a', namespace: 'team' } };
    const resource = {
      ...{ group: 'kubeflow.org', version: 'v1', kind: 'PyTorchJob' },
      plural: 'pytorchjobs',
      namespaced: true,
    };
    const all = [{ resource, manifest: job, place: 'a' }, submission('b')];
    expect((await made(all, { 'dry a': exists }, [job])).message).toBe(
      'PyTorchJob a already exists: delete it, or choose another name with --name.\nNothing has been created.',
    );
  });

  it('tries objects in a namespace of the file that exists', async () => {
    const manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } };
    const namespace: Submission = { resource: NAMESPACES, place: 'n', manifest };
    const { requests } = await made([namespace, submission('inside', 'new')], { 'dry new': exists }, [manifest]);
    expect(requests).toEqual(['dry new', 'dry inside', 'inside']);
  });

  it('stops at the first object that cannot be created, and lists the created ones', async () => {
    const { requests, reported, message } = await made(all, { b: refused });
    expect(requests).not.toContain('c');
    expect(reported).toEqual(['a']);
    expect(message).toBe(
      'ConfigMap b is refused:\n  create: no\nCreated: configmap/a.\nNot created: configmap/b, configmap/c.',
    );
  });

  it('lists an object whose answer was lost as perhaps created', async () => {
    const { message } = await made(all, { b: lost });
    expect(message).toBe(
      'create configmaps "team/b": no answer\nCreated: configmap/a.\nPerhaps created: configmap/b.\nNot created: configmap/c.',
    );
  });

  it.each([
    ['dry b', ['dry a', 'dry b'], []],
    ['a', ['dry a', 'dry b', 'dry c', 'a'], ['a']],
  ])('sends no object after an interruption during the request "%s"', async (during, expected, created) => {
    const interrupt = new AbortController();
    const { requests, client } = clientThat({});
    const create = client.create.bind(client);
    client.create = (resource, object, options) => {
      const answer = create(resource, object, options);
      if (requests.at(-1) === during) interrupt.abort(new Error('interrupted'));
      return answer;
    };
    const reported: string[] = [];
    const sent: string[] = [];
    const making = createAll(client, all, {
      ...{ validation: 'strict', signal: interrupt.signal },
      onSend: ({ place }) => sent.push(place),
      onMade: ({ place }) => reported.push(place),
    });
    await expect(making).rejects.toThrow('interrupted');
    expect({ requests, sent, reported }).toEqual({ requests: expected, sent: created, reported: created });
  });

  it('does not try objects in a namespace that the same file creates', async () => {
    const manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } };
    const namespace: Submission = { resource: NAMESPACES, place: 'n', manifest };
    const { requests } = await made([namespace, submission('inside', 'new'), submission('beside')]);
    expect(requests).toEqual(['dry new', 'dry beside', 'new', 'inside', 'beside']);
  });
});
