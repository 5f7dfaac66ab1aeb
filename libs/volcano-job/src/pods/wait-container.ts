/** An init container waits for other pods. All pods are created at once, so a gang scheduler counts them all. */
import { programImage, waitContainer, type PortWait } from '@muster/common-job-controller';
import { onOff, seconds, text, type Flag } from '../arguments/flags.ts';
import { withInitContainer, type PodChange } from './pod-change.ts';

type WaitFlags<R extends string> = Record<`wait-${R}-enabled`, Flag<boolean>> &
  Record<`wait-${R}-timeout`, Flag<number>> &
  Record<`wait-${R}-image`, Flag<string>>;

export function waitFlags<R extends string>(role: R): WaitFlags<R> {
  return {
    [`wait-${role}-enabled`]: onOff(false, `Whether an init container waits until the ${role}s listen.`),
    [`wait-${role}-timeout`]: seconds(300, 'Seconds after which the init container fails.'),
    [`wait-${role}-image`]: text(
      '',
      "Image of the init container. Needs a shell, and nc or bash. Default: the pod's own image.",
    ),
  } as WaitFlags<R>;
}

/** Copies the securityContext of the first container, so namespaces with Pod Security admission accept the pod. */
export function waitingFor(wait: Omit<PortWait, 'securityContext' | 'image'> & { readonly image: string }): PodChange {
  return (spec) => {
    const { name: containerName = '', securityContext } = spec.containers[0] ?? {};
    const image = wait.image === '' ? programImage({ template: { spec }, containerName }) : { image: wait.image };
    return withInitContainer(waitContainer({ ...wait, image, securityContext }))(spec);
  };
}
