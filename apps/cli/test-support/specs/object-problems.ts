/**
 * Errors for which the API server refuses an object: names, labels, annotations, pods, Services and the kinds of Muster. It is a
 * part of the API server's validation: an object without problems here may be refused by a real one.
 */
import { parseQuantity, problemsOf, type FieldProblem, type KubeObject } from '@muster/job-api';
import { kindOf } from '../../src/kinds.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const PORT_NAME = /^(?=.*[a-z])[a-z0-9](-?[a-z0-9])*$/;
const VARIABLE = /^[ -<>-~]+$/;
const ANNOTATIONS_LIMIT = 256 * 1024;

const problem = (path: string, message: string): FieldProblem => ({ path, message });
const listOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function isLabel(value: string, pattern = LABEL): boolean {
  return value.length <= 63 && pattern.test(value);
}

export function isSubdomain(value: string): boolean {
  return value.length <= 253 && SUBDOMAIN.test(value);
}

function isQualifiedName(value: string): boolean {
  const [first = '', second, ...more] = value.split('/');
  if (more.length > 0) return false;
  const isName = (text: string) => text.length <= 63 && QUALIFIED.test(text);
  return second === undefined ? isName(first) : isSubdomain(first) && isName(second);
}

function isLabelValue(value: string): boolean {
  return value === '' || (value.length <= 63 && QUALIFIED.test(value));
}

/** Of `metadata`, at `path`. */
export function metadataProblems(metadata: JsonObject, path = 'metadata'): FieldProblem[] {
  return [
    ...labelProblems(metadata.labels, `${path}.labels`),
    ...annotationProblems(metadata.annotations, `${path}.annotations`),
    ...(Array.isArray(metadata.finalizers) ? metadata.finalizers : []).flatMap((each) =>
      isQualifiedName(textOf(each)) && textOf(each).includes('/')
        ? []
        : [problem(`${path}.finalizers`, 'must be a qualified name with a domain')],
    ),
  ];
}

/** The API server decodes these maps as maps of texts. */
function isMapOfTexts(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return isObject(value) && Object.values(value).every((each) => typeof each === 'string' || each === null);
}

function labelProblems(labels: Json | undefined, path: string): FieldProblem[] {
  if (!isMapOfTexts(labels)) return [problem(path, 'must be a map of texts')];
  return Object.entries(isObject(labels) ? labels : {}).flatMap(([key, value]) => [
    ...(isQualifiedName(key) ? [] : [problem(path, `invalid key ${JSON.stringify(key)}`)]),
    ...(isLabelValue(textOf(value)) ? [] : [problem(path, `invalid value of ${key}: ${JSON.stringify(value)}`)]),
  ]);
}

function annotationProblems(annotations: Json | undefined, path: string): FieldProblem[] {
  if (!isMapOfTexts(annotations)) return [problem(path, 'must be a map of texts')];
  const entries = Object.entries(isObject(annotations) ? annotations : {});
  const size = entries.reduce((sum, [key, value]) => sum + key.length + textOf(value).length, 0);
  return [
    ...entries.flatMap(([key]) =>
      isQualifiedName(key.toLowerCase()) ? [] : [problem(path, `invalid key ${JSON.stringify(key)}`)],
    ),
    ...(size > ANNOTATIONS_LIMIT ? [problem(path, `${size} bytes: too long`)] : []),
  ];
}

/** Of an object that Muster creates. */
export function objectProblems(object: KubeObject): FieldProblem[] {
  const whole = JSON.parse(JSON.stringify(object)) as JsonObject;
  const metadata = isObject(whole.metadata ?? null) ? (whole.metadata as JsonObject) : {};
  const name = textOf(metadata.name);
  const spec = isObject(whole.spec ?? null) ? (whole.spec as JsonObject) : {};
  const ofKind = OF_KIND[object.kind ?? ''] ?? (() => []);
  const isNamed = object.kind === 'Service' ? isLabel(name, LABEL_1035) : isSubdomain(name);
  const kind = kindOf(object);
  return [
    ...(isNamed ? [] : [problem('metadata.name', `invalid name ${JSON.stringify(name)}`)]),
    ...metadataProblems(metadata),
    ...(kind === undefined ? ofKind(spec) : problemsOf(kind.definition, object)),
  ];
}

const OF_KIND: Readonly<Record<string, (spec: JsonObject) => FieldProblem[]>> = {
  Pod: (spec) => podProblems(spec, 'spec'),
  Service: serviceProblems,
  Job: templateProblems,
  StatefulSet: templateProblems,
};

function templateProblems({ template }: JsonObject): FieldProblem[] {
  const { metadata, spec } = isObject(template) ? template : {};
  return [
    ...metadataProblems(isObject(metadata) ? metadata : {}, 'spec.template.metadata'),
    ...podProblems(isObject(spec) ? spec : {}, 'spec.template.spec'),
  ];
}

function serviceProblems(spec: JsonObject): FieldProblem[] {
  const ports = listOf(spec.ports);
  const names = ports.map(({ name }) => textOf(name));
  const numbers = ports.map(({ port, protocol }) => `${JSON.stringify(port)}/${textOf(protocol) || 'TCP'}`);
  return [
    ...(ports.length > 0 || spec.clusterIP === 'None' || spec.type === 'ExternalName'
      ? []
      : [problem('spec.ports', 'required')]),
    ...ports.flatMap(({ name, port }, at) => [
      ...(isLabel(textOf(name)) || (ports.length === 1 && textOf(name) === '')
        ? []
        : [problem(`spec.ports[${at}].name`, `invalid name ${JSON.stringify(name)}`)]),
      ...(isPort(port) ? [] : [problem(`spec.ports[${at}].port`, `invalid port ${JSON.stringify(port)}`)]),
    ]),
    ...duplicates(names.filter((name) => name !== '')).map((name) => problem('spec.ports', `duplicate name ${name}`)),
    ...duplicates(numbers).map((port) => problem('spec.ports', `duplicate port ${port}`)),
    ...labelProblems(spec.selector, 'spec.selector'),
  ];
}

function isPort(value: Json | undefined): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535;
}

function duplicates(values: readonly string[]): string[] {
  return [...new Set(values.filter((value, at) => values.indexOf(value) !== at))];
}

/** Of a pod's spec, at `path`. */
export function podProblems(spec: JsonObject, path: string): FieldProblem[] {
  const containers = listOf(spec.containers);
  const init = listOf(spec.initContainers);
  const volumes = listOf(spec.volumes).map(({ name }) => textOf(name));
  const all = [
    ...containers.map((each, at) => [each, `${path}.containers[${at}]`] as const),
    ...init.map((each, at) => [each, `${path}.initContainers[${at}]`] as const),
  ];
  const names = all.map(([{ name }]) => textOf(name));
  return [
    ...(containers.length === 0 ? [problem(`${path}.containers`, 'required')] : []),
    ...duplicates(names).map((name) => problem(`${path}.containers`, `duplicate name ${JSON.stringify(name)}`)),
    ...duplicates(volumes).map((name) => problem(`${path}.volumes`, `duplicate name ${JSON.stringify(name)}`)),
    ...volumes.flatMap((name) =>
      isLabel(name) ? [] : [problem(`${path}.volumes`, `invalid name ${JSON.stringify(name)}`)],
    ),
    ...all.flatMap(([container, at]) => containerProblems(container, at, volumes)),
    ...['hostname', 'subdomain'].flatMap((field) =>
      spec[field] === undefined || spec[field] === '' || isLabel(textOf(spec[field]))
        ? []
        : [problem(`${path}.${field}`, `invalid value ${JSON.stringify(spec[field])}`)],
    ),
    ...(['', 'Always', 'OnFailure', 'Never'].includes(textOf(spec.restartPolicy))
      ? []
      : [problem(`${path}.restartPolicy`, `invalid value ${JSON.stringify(spec.restartPolicy)}`)]),
    ...labelProblems(spec.nodeSelector, `${path}.nodeSelector`),
  ];
}

function containerProblems(container: JsonObject, path: string, volumes: readonly string[]): FieldProblem[] {
  const { name, image } = container;
  const text = textOf(image);
  const ports = listOf(container.ports);
  const mounts = listOf(container.volumeMounts);
  return [
    ...(isLabel(textOf(name)) ? [] : [problem(`${path}.name`, `invalid name ${JSON.stringify(name)}`)]),
    ...(text.trim() === text && text !== ''
      ? []
      : [problem(`${path}.image`, `invalid image ${JSON.stringify(image)}`)]),
    ...listOf(container.env).flatMap(({ name: variable, value }, at) => [
      ...(VARIABLE.test(textOf(variable))
        ? []
        : [problem(`${path}.env[${at}].name`, `invalid name ${JSON.stringify(variable)}`)]),
      ...(value === undefined || typeof value === 'string'
        ? []
        : [problem(`${path}.env[${at}].value`, 'must be text')]),
    ]),
    ...ports.flatMap(({ name: portName, containerPort, hostPort }, at) => [
      ...(portName === undefined ||
      portName === '' ||
      (textOf(portName).length <= 15 && PORT_NAME.test(textOf(portName)))
        ? []
        : [problem(`${path}.ports[${at}].name`, `invalid name ${JSON.stringify(portName)}`)]),
      ...(isPort(containerPort)
        ? []
        : [problem(`${path}.ports[${at}].containerPort`, `invalid port ${JSON.stringify(containerPort)}`)]),
      ...(hostPort === undefined || hostPort === 0 || isPort(hostPort)
        ? []
        : [problem(`${path}.ports[${at}].hostPort`, `invalid port ${JSON.stringify(hostPort)}`)]),
    ]),
    ...duplicates(ports.map((port) => textOf(port.name)).filter((each) => each !== '')).map((each) =>
      problem(`${path}.ports`, `duplicate name ${each}`),
    ),
    ...mounts.flatMap((mount, at) => [
      ...(volumes.includes(textOf(mount.name))
        ? []
        : [problem(`${path}.volumeMounts[${at}].name`, `not found: ${JSON.stringify(mount.name)}`)]),
      ...(textOf(mount.mountPath) === '' ? [problem(`${path}.volumeMounts[${at}].mountPath`, 'required')] : []),
    ]),
    ...duplicates(mounts.map((mount) => textOf(mount.mountPath))).map((each) =>
      problem(`${path}.volumeMounts`, `${JSON.stringify(each)} must be unique`),
    ),
    ...resourceProblems(container.resources, `${path}.resources`),
  ];
}

function resourceProblems(resources: Json | undefined, path: string): FieldProblem[] {
  const parts = isObject(resources) ? resources : {};
  return ['requests', 'limits'].flatMap((part) =>
    Object.entries(isObject(parts[part] ?? null) ? (parts[part] as JsonObject) : {}).flatMap(([name, amount]) => {
      const at = `${path}.${part}[${name}]`;
      const isText = typeof amount === 'string' || typeof amount === 'number';
      const value = isText ? parseQuantity(amount) : undefined;
      return [
        ...(isQualifiedName(name) ? [] : [problem(at, 'invalid name of a resource')]),
        ...(value === undefined ? [problem(at, `invalid quantity ${JSON.stringify(amount)}`)] : []),
      ];
    }),
  );
}
