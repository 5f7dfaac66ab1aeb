/**
 * Compares an object that another operator has created with the one that Muster would create. Defaults of the API server and what
 * admission plugins and nodes add are no differences.
 */
import type { Difference } from '@muster/common-job-controller';
import type { KubeObject } from '@muster/job-api';
import type { Comparison } from './compared-status.ts';

/** Fields that operators set. Others that only the stored object has are defaults. */
const SET_BY_OPERATORS: ReadonlySet<string> = new Set([
  ...['labels', 'annotations', 'initContainers', 'containers', 'volumes', 'volumeMounts', 'env', 'ports', 'command'],
  ...['args', 'hostname', 'subdomain', 'dnsConfig', 'affinity', 'lifecycle', 'readinessProbe', 'livenessProbe'],
  ...['startupProbe', 'selector', 'publishNotReadyAddresses', 'finalizers'],
]);
const MAPS: ReadonlySet<string> = new Set(['labels', 'annotations', 'selector', 'nodeSelector', 'matchLabels']);
/** Their values are shown: a user's program gets them from the operator. Values of the manifest are not, since the report has no readers' rights. */
const SHOWN =
  /(?:\.labels\[|\.(?:hostname|subdomain|restartPolicy|schedulerName|clusterIP|publishNotReadyAddresses|terminationMessagePolicy|port|targetPort|protocol)$|\.env\[[^\]]*\]\.value$)/;
/** Annotations and labels of others than operators of jobs, such as network plugins. */
const OF_OPERATORS = /kubeflow|ray\.io|volcano|scheduling|app\.kubernetes\.io/;
const INJECTED = /^kube-api-access-|^\/var\/run\/secrets\/kubernetes\.io\/serviceaccount$/;

/** @param isSecret whether a variable is from the manifest, so that its value is not shown */
export function comparedObject(
  what: string,
  theirs: KubeObject,
  ours: KubeObject,
  isSecret: (variable: string) => boolean,
): Comparison {
  const differences: Difference[] = [];
  let same = 0;
  const shown = (path: string, value: unknown) => {
    if (isAbsent(value)) return '';
    const variable = /\.env\[([^\]]*)\]/.exec(path)?.[1];
    if (typeof value === 'object' || !SHOWN.test(path)) return '(a value)';
    return variable !== undefined && isSecret(variable) ? '(a value)' : `${value as string | number}`;
  };
  const note = (path: string, their: unknown, our: unknown) =>
    differences.push({ field: `${what}: ${path}`, theirs: shown(path, their), ours: shown(path, our) });
  const walk = (path: string, key: string, their: unknown, our: unknown) => {
    if (MAPS.has(key) && (isObject(their) || isObject(our))) {
      const [stored, wanted] = [isObject(their) ? their : {}, isObject(our) ? our : {}];
      for (const name of new Set([...Object.keys(stored), ...Object.keys(wanted)])) {
        if (name in wanted || OF_OPERATORS.test(name)) walk(`${path}[${name}]`, `${key}[]`, stored[name], wanted[name]);
      }
    } else if (areKeyed(their, our)) {
      const [stored, wanted] = [byKey(their), byKey(our)];
      for (const name of new Set([...stored.keys(), ...wanted.keys()])) {
        if (!INJECTED.test(name)) walk(`${path}[${name}]`, key, stored.get(name), wanted.get(name));
      }
    } else if (isAbsent(our)) {
      if (!isAbsent(their) && (SET_BY_OPERATORS.has(key) || key.endsWith('[]'))) note(path, their, our);
    } else if (isEqual(key, their, our)) same++;
    else if (areCommands(key, their, our)) {
      for (const [at, [stored, wanted]] of statementsOf(their, our).entries()) {
        if (stored === wanted) same++;
        else note(`${path}: statement ${at + 1}`, stored, wanted);
      }
    } else if (isObject(our) && isObject(their)) {
      for (const name of new Set([...Object.keys(their), ...Object.keys(our)])) {
        walk(`${path}.${name}`, name, their[name], our[name]);
      }
    } else note(path, their, our);
  };
  const { labels, annotations, finalizers } = ours.metadata ?? {};
  const stored = theirs.metadata ?? {};
  walk('metadata.labels', 'labels', stored.labels, labels);
  walk('metadata.annotations', 'annotations', stored.annotations, annotations);
  walk('metadata.finalizers', 'finalizers', stored.finalizers, finalizers);
  walk('spec', 'spec', specOf(theirs), specOf(ours));
  return { same, differences };
}

function specOf(object: KubeObject): unknown {
  return Reflect.get(object, 'spec');
}

/** Whether both are lists of elements with keys, or one is and the other is absent. */
function areKeyed(one: unknown, other: unknown): boolean {
  if (!isKeyed(one) && !isKeyed(other)) return false;
  return (isKeyed(one) || isAbsent(one)) && (isKeyed(other) || isAbsent(other));
}

function isKeyed(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => keyOf(each) !== undefined);
}

function keyOf(element: unknown): string | undefined {
  if (!isObject(element)) return undefined;
  const { mountPath, name, containerPort, port, protocol = 'TCP' } = element;
  const number = containerPort ?? port;
  if (typeof mountPath === 'string') return mountPath;
  if (typeof number === 'number') return `${number}/${String(protocol)}`;
  return typeof name === 'string' ? name : undefined;
}

/** The last of several counts, as for a process's environment. */
function byKey(list: unknown): Map<string, unknown> {
  return new Map((Array.isArray(list) ? (list as unknown[]) : []).map((each) => [keyOf(each) ?? '', each] as const));
}

function isEqual(key: string, one: unknown, other: unknown): boolean {
  if (isAbsent(one) || isAbsent(other)) return isAbsent(one) && isAbsent(other);
  if (isObject(one) || isObject(other)) return false;
  if (Array.isArray(one) && Array.isArray(other)) return isEqualList(key, one, other);
  if (String(one) === String(other)) return true;
  return quantityOf(one) !== undefined && quantityOf(one) === quantityOf(other) && !/^(value|name|image)$/.test(key);
}

type Commands = readonly string[] | string;

/** Also in a variable, from which a program starts another one. */
function areCommands(key: string, one: unknown, other: unknown): boolean {
  const isText = (value: unknown) => typeof value === 'string';
  if (key === 'value') return isText(one) && isText(other) && one.includes(' --') && other.includes(' --');
  const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
  return (key === 'command' || key === 'args') && areTexts(one) && areTexts(other);
}

/** The statements of both in pairs. The order of options in a statement has no meaning, and operators write them in any order. */
function statementsOf(one: unknown, other: unknown): (readonly [string, string])[] {
  const statements = (commands: Commands) =>
    [commands]
      .flat()
      .flatMap((command) => command.split(';').map((each) => each.trim().split(/\s+/).toSorted().join(' ')));
  const [first, second] = [statements(one as Commands), statements(other as Commands)];
  return Array.from({ length: Math.max(first.length, second.length) }, (_, at) => [first[at] ?? '', second[at] ?? '']);
}

/** Admission plugins append to lists such as `tolerations`. */
function isEqualList(key: string, theirs: readonly unknown[], ours: readonly unknown[]): boolean {
  const stored = new Set(theirs.map((each) => JSON.stringify(each)));
  if (theirs.length === ours.length && theirs.every((each, at) => isEqual('', each, ours[at]))) return true;
  const hasAll = ours.every((each) => stored.has(JSON.stringify(each)));
  return hasAll && (!SET_BY_OPERATORS.has(key) || JSON.stringify(theirs) === JSON.stringify(ours));
}

const SUFFIXES: Readonly<Record<string, number>> = {
  ...{ m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50 },
};

/** The API server stores quantities in another form: `1000m` as `1`. */
function quantityOf(value: unknown): number | undefined {
  const [, number = '', suffix = ''] = /^(\d+(?:\.\d+)?)(m|[kMGTP]|[KMGTP]i)?$/.exec(String(value)) ?? [];
  return number === '' ? undefined : Number(number) * (SUFFIXES[suffix] ?? NaN);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAbsent(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}
