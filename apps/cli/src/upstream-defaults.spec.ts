/** Compares defaults with upstream: a job that omits a field is planned like one with the default. */
import { gangSchedulerNamed } from '@muster/common-job-controller';
import { ANNOTATIONS, crdFor } from '@muster/job-api';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UPSTREAM_DEFAULTS, type KindDefaults } from '../test-support/upstream-defaults.ts';
import { plannedKindOf } from './planned-kinds.ts';
import { plannedObjects } from './planned-objects.ts';

const ROOT = join(import.meta.dirname, '../../..');

type Job = KindDefaults['manifest'];
type Node = Record<string, unknown>;

/** `a[Role].b[0]` as keys. */
const keysOf = (path: string) => path.split(/[.[\]]+/).filter((key) => key !== '');

/** A copy of `job` with `value` at `path` of its spec; undefined removes it. */
function withField(job: Job, path: string, value: unknown): Job {
  const copy = structuredClone(job);
  const keys = keysOf(path);
  const last = keys.pop()!;
  const parent = keys.reduce((node, key) => (node[key] ??= {}) as Node, copy.spec as Node);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

/** The planned pods and objects of the job, without digests, and without the default that Kubernetes gives a Job. */
function planOf(manifest: Job) {
  const options = {
    namespace: 'default',
    serviceMode: 'PerJob',
    clusterDomain: 'cluster.local',
    gang: gangSchedulerNamed('volcano'),
  } as const;
  const isLeftOut = (key: string, value: unknown) =>
    /hash/i.test(key) || key === ANNOTATIONS.template || (key === 'backoffLimit' && value === 6);
  const planned = JSON.stringify(plannedObjects(manifest, options), (key, value: unknown) =>
    isLeftOut(key, value) ? undefined : value,
  );
  return JSON.parse(planned) as object;
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly required?: readonly string[];
}

/** Types of Kubernetes' API, and fields that are required if their parent is set. */
const LEFT_TO_KUBERNETES =
  /(emplate|rayClusterSpec|headService|ingressOptions|Username|Password|metrics|env|Rules|volumeClaim)$/;

/** The paths of all fields that may be omitted, keys and places of lists as `[*]`. */
function optionalFields(schema: Schema, path = ''): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const own = path === '' ? name : `${path}.${name}`;
    const isRequired = schema.required?.includes(name) === true;
    if (isRequired && LEFT_TO_KUBERNETES.test(own)) return [];
    const inner = field.items ?? field.additionalProperties;
    const below = LEFT_TO_KUBERNETES.test(own)
      ? []
      : [...optionalFields(field, own), ...(inner?.properties === undefined ? [] : optionalFields(inner, `${own}[*]`))];
    return isRequired ? below : [own, ...below];
  });
}

/** Fields below an omitted one that is off or only in Muster have no effect. */
function isSettled(path: string, settled: readonly string[]): boolean {
  return settled.some((known) => path === known || path.startsWith(`${known}.`) || path.startsWith(`${known}[`));
}

describe.each(UPSTREAM_DEFAULTS.map((kind) => [`${kind.manifest.kind} of ${kind.manifest.apiVersion}`, kind] as const))(
  'omitting a field of a %s',
  (_name, { manifest, defaults, unread = [] }) => {
    const rows = Object.entries(defaults);

    it.each(
      rows.flatMap(([path, row]) => (typeof row === 'object' && 'same' in row ? [[path, row.same, row] as const] : [])),
    )('%s means %j, as upstream', (path, value, { within = {} }) => {
      const base = { ...manifest, spec: { ...manifest.spec, ...within } };
      const omitted = planOf(withField(base, path, undefined));
      expect(omitted).not.toHaveProperty('problems');
      expect(planOf(withField(base, path, value))).toEqual(omitted);
    });

    it.each(
      rows.flatMap(([path, row]) =>
        typeof row === 'object' && 'page' in row ? [[path, row.upstream, row] as const] : [],
      ),
    )(
      '%s means %j upstream and something else here, which a page lists',
      (path, _upstream, { ours, page, message }) => {
        expect(readFileSync(join(ROOT, page), 'utf8')).toContain(message);
        const omitted = planOf(withField(manifest, path, undefined));
        expect(omitted).not.toHaveProperty('problems');
        if (ours !== undefined) expect(planOf(withField(manifest, path, ours))).toEqual(omitted);
      },
    );

    it('is in the table for every field', () => {
      const { definition } = plannedKindOf(manifest)!;
      const version = manifest.apiVersion?.split('/')[1];
      const { schema } = crdFor(definition).spec.versions.find(({ name }) => name === version) ?? {};
      const { spec } = (schema?.openAPIV3Schema as Schema).properties ?? {};
      const listed = rows.map(([path]) => path.replaceAll(/\[[^\]]*\]/g, '[*]'));
      const settled = rows
        .filter(([, row]) => row === 'muster' || row === 'off')
        .map(([path]) => path.replaceAll(/\[[^\]]*\]/g, '[*]'));
      const missing = optionalFields(spec ?? {}).filter(
        (path) => !listed.includes(path) && !isSettled(path, [...settled, ...unread]),
      );
      expect(missing).toEqual([]);
    });
  },
);
