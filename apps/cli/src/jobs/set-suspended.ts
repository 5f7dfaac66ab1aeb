/** Suspends or resumes a job by the field of its kind. */
import { CommandError } from '../exit-codes.ts';
import type { Session } from '../session.ts';
import { out } from '../terminal/output.ts';
import { findJob, titleOf } from './find-job.ts';
import { isFinished, jobView } from './job-view.ts';
import { refusalOf } from './refusal.ts';

const USUAL_PATH: readonly string[] = ['runPolicy', 'suspend'];

export async function setSuspended(
  { client, namespace, signal }: Session,
  reference: string,
  suspend: boolean,
): Promise<void> {
  const found = await findJob(client, reference, namespace);
  const { kind, resource, manifest, name } = found;
  const path = kind.suspendPath ?? USUAL_PATH;
  const title = titleOf(found);
  const view = jobView(kind, manifest);
  if (isFinished(view)) {
    throw new CommandError('error', `${title} has ended: there is nothing to ${suspend ? 'suspend' : 'resume'}.`);
  }
  if ((valueAt(manifest.spec, path) ?? false) === suspend) {
    out(`${title} is ${suspend ? 'suspended' : 'not suspended'} already\n`);
    return;
  }
  const spec = path.reduceRight<unknown>((value, field) => ({ [field]: value }), suspend);
  signal.throwIfAborted();
  const answer = await client
    .patch(resource, { name, namespace }, { spec })
    .catch((error: unknown) => Promise.reject(refusalOf(title, error) as Error));
  // With a CRD that lacks the field, the API server drops it silently.
  if ((valueAt(answer.spec, path) ?? false) !== suspend) {
    const field = ['spec', ...path].join('.');
    throw new CommandError('error', `${title} cannot be suspended: the CRD in this cluster has no field ${field}.`);
  }
  out(`${title} ${suspend ? 'suspended' : 'resumed'}\n`);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner: unknown, field) => Reflect.get(Object(inner), field), value);
}
