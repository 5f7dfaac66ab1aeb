/** Commands for an operator's image file, ready to be copied. */
import { LOCAL_REGISTRY } from './image-definition.ts';

export interface OperatorFile {
  readonly framework: string;
  readonly version: string;
  /** Registry part of the image's name. Default: the one of images that are imported, not pulled. */
  readonly registry?: string;
  /** Path of the OCI archive, as the commands name it. */
  readonly path: string;
  /** Sockets of containerd of the nodes of local clusters, which are not at the address that `ctr` uses by default. */
  readonly sockets?: readonly string[];
}

/** Commands that bring the file to a cluster, each with the `helm install` line that uses the image there. */
export function operatorFileSteps({ framework, version, registry, path, sockets = [] }: OperatorFile): string {
  const name = `${framework}-operator`;
  const install = (repository: string) =>
    `helm install ${framework} charts/${framework} --namespace muster --create-namespace --wait \\
    --set image.repository=${repository}`;
  const push = (to: string) => `  skopeo copy oci-archive:${path} docker://${to}/${name}:${version}
  ${install(`${to}/${name}`)}`;
  if (registry !== undefined) return `To push and install it:\n${push(registry)}`;
  const imported = (socket?: string) =>
    `  sudo ctr ${socket === undefined ? '' : `--address ${socket} `}--namespace k8s.io images import ${path}\n`;
  const locally = sockets.map((socket) => imported(socket)).join('');
  return `To install it without a registry, import it on every node that may run the operator:
${imported()}${locally === '' ? '' : `On the nodes of local clusters on this machine, by this command instead:\n${locally}`}Then:
  ${install(`${LOCAL_REGISTRY}/${name}`)}
To install it from a registry that the nodes pull from, here registry.example (--registry NAME prints these commands with its name):
${push('registry.example')}`;
}

/** A name part before `/`: a host with a dot or a port, or `localhost`. */
const HOST = /^(localhost|[a-z0-9-]+(\.[a-z0-9-]+)+|[a-z0-9.-]+(?=:\d+$))(:\d+)?$/;
const PATH_PART = /^[a-z0-9]+([._-]+[a-z0-9]+)*$/;

/**
 * Returns the registry if it is valid in front of an image's name. Throws if it is not, or if a cluster would look for the image elsewhere:
 * a first part that is not a host belongs to docker.io.
 */
export function checkedRegistry(registry: string): string {
  const [host = '', ...path] = registry.split('/');
  if (HOST.test(host) && path.every((part) => PATH_PART.test(part))) return registry;
  const hint = [host, ...path].every((part) => PATH_PART.test(part))
    ? `; on Docker Hub it is docker.io/${registry}`
    : '';
  throw new Error(
    `--registry ${registry}: expected host[:port][/path] in lower case, such as registry.example.com/team${hint}`,
  );
}
