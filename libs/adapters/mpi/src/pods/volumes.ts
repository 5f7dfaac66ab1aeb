/**
 * Volumes of MPI jobs: hostfile and scripts, SSH keys, kubectl. Names and modes are those of Kubeflow's operators, for
 * v1alpha1 those of its design (kubeflow/community, proposals/mpi-operator-proposal.md).
 */
import type { PodSpec, Volume, VolumeMount } from '@muster/job-api';
import { CONFIG_FOLDER, DISCOVER_HOSTS, HOSTFILE, KUBECTL_FOLDER, KUBEXEC } from './container-paths.ts';
import { withMainContainer } from './main-container.ts';
import type { MPIModel } from '../generations/mpi-model.ts';
import { configMapName, sshSecretName } from '../config/object-names.ts';
import { SSH_SECRET_KEYS } from '../access/ssh-secret.ts';

export interface MountedVolume {
  readonly volume: Volume;
  readonly mount: VolumeMount;
}

const MODES = { [KUBEXEC]: 0o555, [HOSTFILE]: 0o444, [DISCOVER_HOSTS]: 0o555 } as const;

export function launcherVolumes(model: MPIModel): MountedVolume[] {
  switch (model.generation) {
    case 'v2beta1':
      return [sshKeysVolume(model), configVolume(model, [HOSTFILE, DISCOVER_HOSTS])];
    case 'v1':
      return [kubectlVolume(model), configVolume(model, [KUBEXEC, HOSTFILE, DISCOVER_HOSTS])];
    case 'v1alpha1':
      return [kubectlVolume(model), configVolume(model, [KUBEXEC, HOSTFILE])];
  }
}

/** With `kubectl exec` a worker only needs the script, which Open MPI looks for on every host. */
export function workerVolumes(model: MPIModel): MountedVolume[] {
  return model.transport === 'ssh' ? [sshKeysVolume(model)] : [configVolume(model, [KUBEXEC])];
}

/** Appends the volumes, and mounts them in the container `main` only. */
export function withVolumes(spec: PodSpec, main: string, mounted: readonly MountedVolume[]): PodSpec {
  const volumes = [...(spec.volumes ?? []), ...mounted.map(({ volume }) => volume)];
  return withMainContainer({ ...spec, volumes }, main, (container) => ({
    ...container,
    volumeMounts: [...(container.volumeMounts ?? []), ...mounted.map(({ mount }) => mount)],
  }));
}

export function kubectlVolume(model: MPIModel): MountedVolume {
  const name = `${volumePrefix(model)}-kubectl`;
  return { volume: { name, emptyDir: {} }, mount: { name, mountPath: KUBECTL_FOLDER } };
}

export function configVolume(model: MPIModel, files: readonly (keyof typeof MODES)[]): MountedVolume {
  const name = `${volumePrefix(model)}-config`;
  const items = files.map((file) => ({ key: file, path: file, mode: MODES[file] }));
  return {
    volume: { name, configMap: { name: configMapName(model), items } },
    mount: { name, mountPath: CONFIG_FOLDER },
  };
}

function volumePrefix({ generation }: MPIModel): string {
  return generation === 'v1alpha1' ? 'ml-job' : 'mpi-job';
}

/** Root's SSH client refuses keys that others can read. */
const ROOT_SSH_FOLDER = '/root/.ssh';

/** In other folders another user has to read root's keys: they have Kubernetes' default mode, 0644. */
function sshKeysVolume(model: MPIModel): MountedVolume {
  const name = 'ssh-auth';
  const isRoots = model.sshAuthMountPath === ROOT_SSH_FOLDER;
  const items = [
    { key: SSH_SECRET_KEYS.privateKey, path: 'id_rsa' },
    { key: SSH_SECRET_KEYS.publicKey, path: 'id_rsa.pub' },
    { key: SSH_SECRET_KEYS.publicKey, path: 'authorized_keys' },
  ];
  return {
    volume: { name, secret: { secretName: sshSecretName(model), ...(isRoots && { defaultMode: 0o600 }), items } },
    mount: { name, mountPath: model.sshAuthMountPath },
  };
}
