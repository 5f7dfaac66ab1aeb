/** The API server's rules about labels, annotations and finalizers. */
import type { FieldProblem } from '@muster/job-api';
import { fieldsOf, invalid, isAbsent, required, textOf } from './check.ts';
import {
  isLabelValue,
  isQualifiedName,
  isSubdomain,
  LABEL_VALUE_MESSAGE,
  QUALIFIED_MESSAGE,
  SUBDOMAIN_MESSAGE,
} from './names.ts';
import { wrongTypes } from './wrong-types.ts';

const ANNOTATIONS_LIMIT = 256 * 1024;

/** Of the labels, annotations and finalizers of an object, or of a pod template. */
export function metadataProblems(metadata: unknown, path = 'metadata'): FieldProblem[] {
  const { labels, annotations, finalizers } = fieldsOf(metadata);
  return [
    ...labelProblems(labels, `${path}.labels`),
    ...annotationProblems(annotations, `${path}.annotations`),
    ...(Array.isArray(finalizers) ? (finalizers as unknown[]) : []).flatMap((each, at) => {
      const isValid = typeof each !== 'string' || (isQualifiedName(each) && each.includes('/'));
      return isValid ? [] : [invalid(`${path}.finalizers[${at}]`, each, `with a domain: ${QUALIFIED_MESSAGE}`)];
    }),
  ];
}

/** Labels, or a selector of labels. */
export function labelProblems(labels: unknown, path: string): FieldProblem[] {
  return Object.entries(fieldsOf(labels)).flatMap(([key, value]) => [
    ...(isQualifiedName(key) ? [] : [invalid(path, key, `the key ${QUALIFIED_MESSAGE}`)]),
    ...(isLabelValue(textOf(value)) ? [] : [invalid(`${path}[${key}]`, value, LABEL_VALUE_MESSAGE)]),
  ]);
}

export function annotationProblems(annotations: unknown, path: string): FieldProblem[] {
  const entries = Object.entries(fieldsOf(annotations));
  const size = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key + textOf(value)), 0);
  return [
    ...entries.flatMap(([key]) =>
      isQualifiedName(key.toLowerCase()) ? [] : [invalid(path, key, `the key ${QUALIFIED_MESSAGE}`)],
    ),
    ...(size > ANNOTATIONS_LIMIT
      ? [{ path, message: `Too long: ${size} bytes; annotations may have ${ANNOTATIONS_LIMIT} bytes in all` }]
      : []),
  ];
}

/** Of the metadata of a job, as it is written. */
export function jobMetadataProblems(job: object): FieldProblem[] {
  const { metadata } = job as { readonly metadata?: unknown };
  const { name } = fieldsOf(metadata);
  return [
    ...wrongTypes('V1ObjectMeta', metadata, 'metadata'),
    ...(isAbsent(name)
      ? [required('metadata.name', 'name the job, or set metadata.generateName')]
      : typeof name === 'string'
        ? nameProblems(name)
        : []),
    ...metadataProblems(metadata),
  ];
}

export function nameProblems(name: unknown, path = 'metadata.name'): FieldProblem[] {
  return isSubdomain(textOf(name)) ? [] : [invalid(path, name ?? '', SUBDOMAIN_MESSAGE)];
}
