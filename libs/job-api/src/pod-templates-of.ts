import type { PodTemplateSpec } from './kubernetes.ts';

/**
 * All pod templates of a manifest, in their order and without duplicates. Returns the objects themselves, not copies.
 */
export function podTemplatesOf(manifest: unknown): PodTemplateSpec[] {
  // With YAML anchors, one object can be in several places.
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
