/**
 * Errors for which the API server would refuse the objects of a job, with the fields of the manifest that cause them. A template is
 * not judged by itself: Muster adds volumes and fields to its pods, and a role without replicas has none.
 */
import type { FieldProblem, KubeObject } from '@muster/job-api';
import { fieldsOf, type Check } from './check.ts';
import { container, variable } from './container-problems.ts';
import { objectProblems, services, template } from './object-problems.ts';
import { labelOfService } from './names.ts';
import { annotationProblems, metadataProblems } from './metadata-problems.ts';
import { wrongTypes } from './wrong-types.ts';

/** Part of a manifest that becomes a part of an object. */
interface Fragment {
  readonly type: string;
  readonly check: Check;
}

const TEMPLATE: Fragment = { type: 'V1PodTemplateSpec', check: template };

const SERVICE: Fragment = {
  type: 'V1Service',
  check: (value, path) => {
    const { metadata, spec } = fieldsOf(value);
    return [
      ...labelOfService(fieldsOf(metadata).name, `${path}.metadata.name`),
      ...metadataProblems(metadata, `${path}.metadata`),
      ...services(spec, `${path}.spec`),
    ];
  },
};

const VARIABLE: Fragment = { type: 'V1EnvVar', check: variable };

/** By the name of a field, wherever it is in a manifest. */
const FRAGMENTS: Readonly<Record<string, Fragment>> = {
  template: TEMPLATE,
  submitterPodTemplate: TEMPLATE,
  headService: SERVICE,
  serveService: SERVICE,
  headServiceAnnotations: { type: '{ [key: string]: string; }', check: annotationProblems },
  redisUsername: VARIABLE,
  redisPassword: VARIABLE,
  autoscalerOptions: { type: 'V1Container', check: container },
};

/** Fields of the manifest. If none of them is the cause, the fields of the objects. */
export function refusedObjects(manifest: object, objects: readonly KubeObject[]): FieldProblem[] {
  const refused = objects.flatMap((object) => objectProblems(object).map((problem) => ({ object, problem })));
  if (refused.length === 0) return [];
  const causes = [...new Set(refused.map(({ problem: { path, message } }) => keyOf(`.${path}`, message)))];
  const written = problemsWithin(manifest, '').filter(({ inner, message }) => {
    const key = keyOf(inner, message);
    // A Service takes the names of its ports from a container.
    const isPortName = /\.ports\[\d+\]\.name$/.test(inner);
    return causes.some((cause) => cause.endsWith(key) || (isPortName && cause.startsWith('.spec.ports[].name ')));
  });
  if (written.length > 0) return written.map(({ path, inner, message }) => ({ path: `${path}${inner}`, message }));
  const doubled = causes.flatMap((cause) => fieldsThatMusterRepeats(manifest, cause));
  if (doubled.length > 0) return doubled;
  return refused.map(({ object: { kind, metadata }, problem: { path, message } }) => ({
    path: `${kind} ${metadata?.name}: ${path}`,
    message,
  }));
}

/** The fields whose value Muster adds to the same list: the name of a volume or container, or the path of a mount. */
function fieldsThatMusterRepeats(manifest: object, cause: string): FieldProblem[] {
  const [, path = '', message = '', value] = /^(.*?) (Duplicate value: (.*))$/.exec(cause) ?? [];
  const inTemplate = path.slice(path.lastIndexOf('spec.'));
  return leavesOf(manifest, '')
    .filter((leaf) => JSON.stringify(leaf.value) === value && withoutNumbers(leaf.path).endsWith(inTemplate))
    .map((leaf) => ({ path: leaf.path, message: `${message}: Muster adds another one` }));
}

function leavesOf(value: unknown, path: string): { readonly path: string; readonly value: unknown }[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => leavesOf(inner, stepTo(value, key, path)));
}

/** The same error has the same key in objects whose containers and volumes have other numbers. */
function keyOf(path: string, message: string): string {
  return `${withoutNumbers(path)} ${message}`;
}

function withoutNumbers(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '[]');
}

interface ProblemOfFragment {
  readonly path: string;
  /** Below the fragment. */
  readonly inner: string;
  readonly message: string;
}

function problemsWithin(value: unknown, path: string): ProblemOfFragment[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const at = stepTo(value, key, path);
    const fragment = Object.hasOwn(FRAGMENTS, key) ? FRAGMENTS[key] : undefined;
    if (fragment === undefined) return problemsWithin(inner, at);
    const { type, check } = fragment;
    return [...wrongTypes(type, inner, ''), ...check(inner, '')].map((problem) => ({
      path: at,
      inner: problem.path,
      message: problem.message,
    }));
  });
}

/** In the API server's spelling: roles are the keys of a map. */
function stepTo(parent: object, key: string, path: string): string {
  if (Array.isArray(parent) || path.endsWith('ReplicaSpecs')) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}
