import { NATIVE_POD_GROUPS, PODS } from '@muster/job-api';
import { expect, it, onTestFinished } from 'vitest';
import { type Answer, json, scriptedServer, status } from '../test-support/scripted-server.ts';
import { createKubeClient } from './http-client.ts';

const KEY = { namespace: 'ns', name: 'mnist' };
const GROUP = { apiVersion: 'scheduling.k8s.io/v1beta1', kind: 'PodGroup', metadata: KEY };
const notFound = status(404, 'NotFound', 'not found');
const served = json(200, { resources: [{ name: 'podgroups' }] });
/** Another kind has this version, or a feature gate is off. */
const withoutGroups = json(200, { resources: [{ name: 'priorityclasses' }] });
const ok = json(200, GROUP);

async function clientOf(first: Answer, ...others: Answer[]) {
  const server = await scriptedServer(first, ...others);
  const client = createKubeClient(server.access, { userAgent: 'spec/1' });
  onTestFinished(() => client.close());
  const paths = () => server.requests.map(({ method, url }) => `${method} ${url.split('?')[0]}`);
  return { client, server, paths };
}

const DISCOVERY = 'GET /apis/scheduling.k8s.io';
const groups = (version: string) => `/apis/scheduling.k8s.io/${version}/namespaces/ns/podgroups`;

it.each<[version: string, discovery: [Answer, ...Answer[]]]>([
  ['v1beta1', [served]],
  ['v1alpha3', [notFound, served]],
  ['v1alpha3', [withoutGroups, served]],
  ['v1alpha2', [withoutGroups, notFound, served]],
])('writes pod groups as %s if that is the newest version served', async (version, discovery) => {
  const { client, server, paths } = await clientOf(...discovery, ok, ok);
  await client.create(NATIVE_POD_GROUPS, GROUP);
  await client.get(NATIVE_POD_GROUPS, KEY);
  expect(paths().slice(discovery.length)).toEqual([`POST ${groups(version)}`, `GET ${groups(version)}/mnist`]);
  const [created] = server.requests.slice(discovery.length);
  expect(JSON.parse(created?.body ?? '')).toMatchObject({ apiVersion: `scheduling.k8s.io/${version}` });
});

it('looks up the version again after NotFound, as after an upgrade of the cluster', async () => {
  const { client, paths } = await clientOf(notFound, notFound, served, ok, notFound, served, ok);
  await client.get(NATIVE_POD_GROUPS, KEY);
  await expect(client.get(NATIVE_POD_GROUPS, KEY)).rejects.toMatchObject({ reason: 'NotFound' });
  await client.get(NATIVE_POD_GROUPS, KEY);
  expect(paths().slice(2)).toEqual([
    `${DISCOVERY}/v1alpha2`,
    `GET ${groups('v1alpha2')}/mnist`,
    `GET ${groups('v1alpha2')}/mnist`,
    `${DISCOVERY}/v1beta1`,
    `GET ${groups('v1beta1')}/mnist`,
  ]);
});

it('uses the newest version if none is served, and looks it up again the next time', async () => {
  const { client, paths } = await clientOf(notFound);
  for (const _time of [1, 2])
    await expect(client.get(NATIVE_POD_GROUPS, KEY)).rejects.toMatchObject({ reason: 'NotFound' });
  expect(paths().filter((path) => path.endsWith('/mnist'))).toEqual(Array(2).fill(`GET ${groups('v1beta1')}/mnist`));
});

it('sends no lookup for resources with one version', async () => {
  const { client, paths } = await clientOf(ok);
  await client.get(PODS, KEY);
  expect(paths()).toEqual(['GET /api/v1/namespaces/ns/pods/mnist']);
});
