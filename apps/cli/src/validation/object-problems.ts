/** Errors for which the API server refuses an object that Muster creates. An object without problems may still be refused. */
import { problemsOf, type FieldProblem, type KubeObject } from '@muster/job-api';
import { kindOf } from '../kinds.ts';
import {
  all,
  distinct,
  fields,
  fieldsOf,
  list,
  present,
  repeated,
  itemsOf,
  textOf,
  within,
  type Check,
} from './check.ts';
import { LARGEST_PORT } from './container-problems.ts';
import { labelProblems, metadataProblems, nameProblems } from './metadata-problems.ts';
import { label, labelOfService } from './names.ts';
import { podProblems } from './pod-problems.ts';
import { wrongTypes } from './wrong-types.ts';

export function objectProblems(object: KubeObject): FieldProblem[] {
  // As it is sent: without fields that are undefined.
  const { metadata, spec } = JSON.parse(JSON.stringify(object)) as { metadata?: { name?: unknown }; spec?: unknown };
  const { kind = '' } = object;
  const type = TYPES[kind];
  const own = kindOf(object);
  return [
    ...wrongTypes('V1ObjectMeta', metadata, 'metadata'),
    ...(type === undefined ? [] : wrongTypes(type, spec, 'spec')),
    ...(kind === 'Service'
      ? all(present('the name'), labelOfService)(metadata?.name, 'metadata.name')
      : nameProblems(metadata?.name)),
    ...metadataProblems(metadata),
    ...(own === undefined ? (OF_KIND[kind]?.(spec, 'spec') ?? []) : problemsOf(own.definition, object)),
  ];
}

const TYPES: Readonly<Record<string, string>> = {
  Pod: 'V1PodSpec',
  Service: 'V1ServiceSpec',
  Job: 'V1JobSpec',
  StatefulSet: 'V1StatefulSetSpec',
};

/** Of a template, and of the pod that is created from it. */
export const template: Check = (value, path) => {
  const { metadata, spec } = fieldsOf(value);
  return [...metadataProblems(metadata, `${path}.metadata`), ...podProblems(spec, `${path}.spec`)];
};

export const services: Check = (value, path) => {
  const { ports, clusterIP, type } = fieldsOf(value);
  const isPortless = clusterIP === 'None' || type === 'ExternalName';
  const items = itemsOf(ports, `${path}.ports`);
  return [
    ...(isPortless ? [] : present('a Service has a port')(ports, `${path}.ports`)),
    ...fields({
      ports: all(
        list(
          fields({
            name: all(items.length > 1 ? present('name each of several ports') : () => [], label),
            port: all(present('the port'), within(1, LARGEST_PORT)),
          }),
        ),
        distinct('name'),
      ),
      selector: labelProblems,
    })(value, path),
    ...repeated(items.map(([{ port, protocol }, at]) => [`${textOf(protocol) || 'TCP'}/${String(port)}`, at])),
  ];
};

const OF_KIND: Readonly<Record<string, Check>> = {
  Pod: podProblems,
  Service: services,
  Job: fields({ template }),
  StatefulSet: fields({ template }),
};
