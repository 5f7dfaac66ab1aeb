import type { PodTemplateSpec } from './kubernetes.ts';

/** The pod templates of a manifest, wherever a kind of job has them: the very objects, each once, in their order. */
export function podTemplatesOf(manifest: unknown): PodTemplateSpec[] {
  // A YAML anchor has one object stand in several places.
  return [...new Set(allIn(manifest))];
}

function allIn(value: unknown): PodTemplateSpec[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    key === 'template' && isPodTemplate(inner) ? [inner] : allIn(inner),
  );
}

function isPodTemplate(value: unknown): value is PodTemplateSpec {
  const spec = (value as PodTemplateSpec | null)?.spec;
  return Array.isArray(spec?.containers);
}
