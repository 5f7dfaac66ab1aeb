/** Adapts manifests of `examples/` to the cluster. Pure except for reading files. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { podTemplatesOf, type KubeObject, type PodTemplateSpec } from '@muster/job-api';
import { parse } from 'yaml';

const EXAMPLES = join(import.meta.dirname, '../../../examples');
/** The mount path of the ConfigMap with the program. */
const PROGRAM_FOLDER = '/muster-demo';

export function readExample(framework: string, file: string): Promise<string> {
  return readFile(join(EXAMPLES, framework, file), 'utf8');
}

/** The user's image, which lacks the program. */
export interface ForeignImage {
  readonly image: string;
  /** File name of the program in the manifest's commands. */
  readonly program: string;
  readonly configMap: string;
}

export interface Fit {
  readonly namespace: string;
  /** Additional environment variables of all containers. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly foreign?: ForeignImage | undefined;
}

/** The manifest with the changes of `fit`. */
export function fitManifest(text: string, { namespace, env = {}, foreign }: Fit): KubeObject {
  const manifest = parse(text) as KubeObject;
  for (const template of podTemplatesOf(manifest)) {
    addEnv(template, env);
    if (foreign !== undefined) useImage(template, foreign);
  }
  return { ...manifest, metadata: { ...manifest.metadata, namespace } };
}

function addEnv({ spec }: PodTemplateSpec, env: Readonly<Record<string, string>>): void {
  const added = Object.entries(env).map(([name, value]) => ({ name, value }));
  if (spec === undefined || added.length === 0) return;
  // A manifest may use one container twice (a YAML anchor): each template gets a copy.
  spec.containers = spec.containers.map((container) => ({ ...container, env: [...(container.env ?? []), ...added] }));
}

function useImage(template: PodTemplateSpec, { image, program, configMap }: ForeignImage): void {
  const { spec } = template;
  if (spec === undefined) return;
  spec.volumes = [...(spec.volumes ?? []), { name: 'program', configMap: { name: configMap } }];
  spec.containers = spec.containers.map((container) => ({
    ...container,
    image,
    command: (container.command ?? []).map((word) => (word === program ? `${PROGRAM_FOLDER}/${program}` : word)),
    volumeMounts: [...(container.volumeMounts ?? []), { name: 'program', mountPath: PROGRAM_FOLDER }],
  }));
}
