/**
 * Jobs of another operator: `--kind <file>`, a YAML file. Its last document is a job; those before it, such as CRDs, are installed first.
 * Placeholders in the job: `${name}`, `${pods}` and `${others}` (one pod less), and for pods that end `${end}` (the label
 * muster.dev/simulate) and `${after}` (the annotation muster.dev/simulate-after).
 */
import type { KubeObject, Resource } from '@muster/job-api';
import { parseYaml, withoutBigInts } from '@muster/kubernetes-yaml';
import type { JobKind, JobObject } from './job-kind.ts';

export interface ManifestKind {
  /** Objects that the cluster needs before such jobs can be created. */
  readonly installed: readonly KubeObject[];
  readonly apiVersion: string;
  readonly kind: string;
  of(resource: Resource): JobKind;
}

/** Throws an error that says what to change if the text is not such a file. */
export function manifestKind(text: string): ManifestKind {
  const documents = text.split(/^---\s*$/m).filter((each) => each.replaceAll(/^\s*#.*$/gm, '').trim() !== '');
  const template = documents.at(-1) ?? '';
  const manifest = (name: string, pods: number, trainingMs: number | undefined) => {
    const values = {
      name,
      pods: String(pods),
      others: String(pods - 1),
      // Simulated nodes ignore an unknown value: the pod keeps running.
      end: trainingMs === undefined ? 'never' : 'succeed',
      after: `${trainingMs ?? 0}ms`,
    };
    return objectIn(filled(template, values)) as JobObject;
  };
  const { apiVersion, kind, metadata } = manifest('job', 2, undefined);
  if (apiVersion === undefined || kind === undefined || metadata?.name === undefined || !template.includes('${name}'))
    throw new Error('--kind: the last document of the file must be a job with apiVersion, kind and name: ${name}');
  const installed = documents.slice(0, -1).map((each) => objectIn(each) as KubeObject);
  return {
    installed,
    apiVersion,
    kind,
    of: (resource) => ({ resource, container: 'train', manifest }),
  };
}

function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\$\{(\w+)\}/g, (whole, key: string) => values[key] ?? whole);
}

function objectIn(document: string): unknown {
  return withoutBigInts(parseYaml(document).value);
}
