import { isObject, type Json } from './json.ts';

/** The steps of `spec.roles[Worker].containers[0].name`. */
function stepsOf(path: string): string[] {
  return [...path.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, inBrackets, plain]) => inBrackets ?? plain ?? '');
}

/** Whether the field exists in the manifest, or could be added to it without a change of another field. */
export function fits(manifest: Json, path: string): boolean {
  if (!/^(spec|metadata)\b/.test(path)) return false;
  let here: Json | undefined = manifest;
  for (const step of stepsOf(path)) {
    if (here === undefined || here === null) return true;
    if (Array.isArray(here)) {
      if (!/^\d+$/.test(step) || Number(step) > here.length) return false;
      here = here[Number(step)];
    } else if (isObject(here)) {
      here = here[step] ?? here[Object.keys(here).find((key) => key.toLowerCase() === step.toLowerCase()) ?? step];
    } else return false;
  }
  return true;
}
