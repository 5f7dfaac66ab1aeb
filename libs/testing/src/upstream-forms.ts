/**
 * Manifests as Kubeflow's users write them, on a real API server: kubectl applies them without a warning, and the
 * operator creates the objects of their golden files, compared with what the API server stores.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  crdFor,
  HORIZONTAL_POD_AUTOSCALERS,
  LABELS,
  PODS,
  SERVICE_MODES,
  SERVICES,
  type KubeObject,
  type Resource,
  type ServiceMode,
} from '@muster/job-api';
import type { Logger } from '@muster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConformanceOperator, OperatorStart } from './conformance/conformance-framework.ts';
import { running } from './conformance/pod-report.ts';
import { TravelClock } from './conformance/travel-clock.ts';
import { eventually } from './eventually.ts';
import { isSuspended, manifestsIn, objectsFor, type ObjectsOfKind } from './golden-objects.ts';
import { installCrd } from './install-crd.ts';
import { testCluster } from './test-cluster.ts';

export interface UpstreamForms<Job extends KubeObject> extends ObjectsOfKind<Job> {
  readonly manifests: URL;
  readonly containerName: string;
  /** Kinds of objects that its jobs may own. Default: autoscalers, Services and pods. */
  readonly childKinds?: readonly Resource[];
  /** Removes what changes when pods run, as they may before the check. Default: nothing. */
  readonly lasting?: (object: KubeObject) => KubeObject;
  readonly serviceModes?: readonly ServiceMode[];
  /** The label with the job's name on its objects. Default: that of Kubeflow's kinds. */
  readonly jobLabel?: string;
  /** Resolves when the operator's caches are synced. */
  startOperator(start: OperatorStart): Promise<ConformanceOperator>;
}

const run = promisify(execFile);
const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

interface Children {
  readonly own: ReadonlyMap<string, KubeObject>;
  readonly pods: readonly KubeObject[];
}

function throughVersionOf({ apiVersion = '' }: KubeObject, resource: Resource): Resource {
  return { ...resource, version: apiVersion.slice(apiVersion.lastIndexOf('/') + 1) };
}

export async function describeUpstreamForms<Job extends KubeObject>(kind: UpstreamForms<Job>): Promise<void> {
  const cluster = await testCluster();
  const { client } = cluster;
  const { resource, singular } = kind.definition;
  const jobs: Resource = resource;
  const {
    childKinds = [HORIZONTAL_POD_AUTOSCALERS, SERVICES, PODS],
    serviceModes = SERVICE_MODES,
    jobLabel = LABELS.jobName,
  } = kind;
  const namespaces = new Map<ServiceMode, string>();
  const operators: ConformanceOperator[] = [];

  beforeAll(async () => {
    await installCrd(client, crdFor(kind.definition));
    for (const serviceMode of serviceModes) {
      const namespace = await cluster.namespace();
      namespaces.set(serviceMode, namespace);
      const clock = new TravelClock();
      operators.push(
        await kind.startOperator({
          client,
          namespaces: [namespace],
          resource: jobs,
          serviceMode,
          clock,
          logger: silent,
        }),
      );
    }
  });

  afterAll(() => Promise.all(operators.map((operator) => operator.stop())));

  async function kubectlApply(manifest: KubeObject, ...flags: string[]): Promise<string> {
    // The cluster's own kubectl; for another cluster the one on the PATH.
    const own = join(dirname(cluster.kubeconfig), 'bin', 'kubectl');
    const { KUBECONFIG: _, ...env } = process.env;
    const args = ['--kubeconfig', cluster.kubeconfig, 'apply', '-f', '-', ...flags];
    const applying = run(existsSync(own) ? own : 'kubectl', args, { env });
    applying.child.stdin?.end(JSON.stringify(manifest));
    const { stdout, stderr } = await applying;
    return stderr + stdout;
  }

  /** The job's objects by kind and name, with the pods of its workloads. */
  async function childrenOf({ metadata }: KubeObject): Promise<Children> {
    const { name, namespace = '', uid } = metadata ?? {};
    const labelSelector = `${jobLabel}=${name}`;
    const lists = await Promise.all(
      childKinds.map(async (each) => {
        const { items } = await client.list(each, { namespace, labelSelector });
        return items.map((object) => ({ name: `${each.kind} ${object.metadata?.name}`, isPod: each === PODS, object }));
      }),
    );
    const isOwn = (object: KubeObject) => object.metadata?.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
    const all = lists.flat();
    return {
      own: new Map(all.filter(({ object }) => isOwn(object)).map(({ name: child, object }) => [child, object])),
      pods: all.filter(({ isPod }) => isPod).map(({ object }) => object),
    };
  }

  /** Some roles wait until others run. Pods do not run here, so their status is reported. */
  async function reportRunning(pods: readonly KubeObject[]): Promise<void> {
    for (const { metadata } of pods) {
      const { name = '', namespace = '' } = metadata ?? {};
      await client.patchStatus(PODS, { name, namespace }, { status: running(kind.containerName) });
    }
  }

  const inNamespace = (form: KubeObject, serviceMode: ServiceMode): KubeObject => ({
    ...form,
    metadata: { ...form.metadata, namespace: namespaces.get(serviceMode) ?? '' },
  });

  describe.each([...manifestsIn(kind.manifests)])('upstream form %s', (_name, form) => {
    it.each([
      { how: 'by the client', flags: [] },
      { how: 'by the server', flags: ['--server-side'] },
    ])('is applied $how without a warning', async ({ flags }) => {
      const output = await kubectlApply(
        inNamespace(form, serviceModes[0] ?? 'PerJob'),
        '--dry-run=server',
        '--validate=strict',
        ...flags,
      );
      const done = `${singular}\\.${jobs.group}/\\S+ (created|serverside-applied) \\(server dry run\\)\n`;
      expect(output).toMatch(new RegExp(`^${done}$`));
    });

    it.each(serviceModes)('gets its objects in mode %s', async (serviceMode) => {
      const written = throughVersionOf(form, jobs);
      const job = await client.create(written, inNamespace(form, serviceMode));
      const { name = '', namespace = '', uid = '' } = job.metadata ?? {};
      if (isSuspended(form))
        await client.patch(written, { name, namespace }, { spec: { runPolicy: { suspend: false } } });
      const { lasting = (object: KubeObject) => object } = kind;
      const expected = objectsFor(kind, form, { uid, namespace }, serviceMode).map(lasting);
      const wanted = expected.map((object) => `${object.kind} ${object.metadata?.name}`).sort();
      const children = new Map<string, KubeObject>();
      await eventually(
        async () => {
          const { own, pods } = await childrenOf(job);
          for (const [child, object] of own) children.set(child, object);
          await reportRunning(pods);
          return children.size >= wanted.length;
        },
        { describe: () => ({ expected: wanted, seen: [...children.keys()].sort() }) },
      );
      expect([...children.keys()].sort()).toEqual(wanted);
      for (const { apiVersion: _apiVersion, kind: childKind, ...object } of expected) {
        const child = `${childKind} ${object.metadata?.name}`;
        expect(spokenOf(children.get(child), object), child).toEqual(object);
      }
    });
  });
}

/**
 * `live` reduced to the fields of `expected`: the API server sets defaults, and mounts a token. Lists of named items
 * keep the expected ones; the golden files show an additional variable or port.
 */
function spokenOf(live: unknown, expected: unknown): unknown {
  if (Array.isArray(expected) && Array.isArray(live)) {
    const names = new Set(expected.map(nameIn));
    const kept = names.has(undefined) ? live : live.filter((each) => names.has(nameIn(each)));
    return kept.map((each, index) => spokenOf(each, expected[index]));
  }
  if (isObject(expected) && isObject(live)) {
    return Object.fromEntries(Object.keys(expected).map((key) => [key, spokenOf(live[key], expected[key])]));
  }
  // The API server omits empty values.
  if ((expected === '' || expected === false) && live === undefined) return expected;
  // Quantities may be written as numbers; they are stored as text.
  return typeof expected === 'number' && typeof live === 'string' ? Number(live) : live;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nameIn(value: unknown): unknown {
  return isObject(value) ? value.name : undefined;
}
