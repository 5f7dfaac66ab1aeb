/** `muster scale <job> [role=]<number>`: changes the number of workers. */
import type { JobManifest } from '@muster/common-job-controller';
import { versionsOf } from '@muster/job-api';
import type { Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import type { Kind } from '../kinds.ts';
import { findJob, titleOf } from '../jobs/find-job.ts';
import { isFinished, jobView } from '../jobs/job-view.ts';
import { refusalOf } from '../jobs/refusal.ts';
import { resizeRole, type Resizing } from '../jobs/resize.ts';
import { out } from '../terminal/output.ts';
import { inSession, withClusterOptions, type ClusterOptions } from '../session.ts';

export function registerScaleCommand(program: Command): void {
  withClusterOptions(program.command('scale'))
    .description("Change the number of a job's workers, or the size of a worker group of a RayCluster.")
    .argument('<job>', 'name or kind/name')
    .argument('<size>', 'number of workers, or <group>=<number>')
    .addHelpText(
      'after',
      `
Examples:
  muster scale mnist 4
  muster scale pytorchjob/mnist worker=4 -n team
  muster scale raycluster/mnist small-group=0`,
    )
    .action((reference: string, size: string, options: ClusterOptions) =>
      inSession(options, async ({ client, namespace, signal }) => {
        const { role, replicas } = parsed(size);
        const found = await findJob(client, reference, namespace);
        const { kind, resource, manifest, name } = found;
        const resizing = resized(kind, manifest, role, replicas);
        if ('refusal' in resizing) {
          throw new CommandError('error', `${titleOf(found)} cannot be scaled: ${resizing.refusal}.`);
        }
        signal.throwIfAborted();
        await client
          .patch(resource, { name, namespace }, resizing.patch, { type: 'json' })
          .catch((error: unknown) => Promise.reject(refusalOf(titleOf(found), error) as Error));
        const note = resizing.note === undefined ? '' : ` (${resizing.note})`;
        out(`${titleOf(found)}: ${resizing.role} scaled from ${resizing.before} to ${replicas}${note}\n`);
      }),
    );
}

function parsed(size: string): { role: string | undefined; replicas: number } {
  const [, role, count] = /^(?:([^=]+)=)?(\d+)$/.exec(size) ?? [];
  if (count === undefined) {
    throw new CommandError('usage', `"${size}" is not a size: use a number or <role>=<number>.`);
  }
  return { role, replicas: Number(count) };
}

/** The patch, or why the job cannot be resized. The API server may still refuse the patch. */
export function resized(kind: Kind, manifest: JobManifest, role: string | undefined, replicas: number): Resizing {
  const view = jobView(kind, manifest);
  if (isFinished(view)) return { refusal: 'it has ended' };
  const resize = kind.resize ?? scaleOf(kind, manifest);
  if (resize === undefined) {
    return { refusal: `${kind.definition.resource.kind} of ${manifest.apiVersion} has no scale subresource` };
  }
  const fixed = view.state === 'Suspended' ? undefined : kind.fixedSize?.(manifest);
  if (fixed !== undefined) return { refusal: `${fixed}, or suspend it, scale it and resume it` };
  const bounds =
    view.state === 'Suspended' || view.state === undefined ? undefined : kind.sizeBounds?.(manifest, replicas);
  if (bounds !== undefined) return { refusal: `${bounds}. To change the bounds, suspend the job first` };
  return resize(manifest, role, replicas);
}

/** Of the version in which the job was created: an MPIJob records it, whatever version is read. */
function scaleOf({ definition }: Kind, { apiVersion = '', spec }: JobManifest) {
  const { apiGeneration = apiVersion.slice(apiVersion.lastIndexOf('/') + 1) } = Object(spec) as {
    apiGeneration?: string;
  };
  const scale = versionsOf(definition).find(({ name }) => name === apiGeneration)?.scale;
  return scale && resizeRole(scale);
}
