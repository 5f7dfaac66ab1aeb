import type { Container } from '@muster/job-api';
import type { ReplicaRole } from '../model/training-job.ts';

export interface PortWait {
  /** The container is named `wait-for-<role>`. */
  readonly role: string;
  readonly hosts: readonly string[];
  readonly port: number;
  readonly timeoutSeconds: number;
  /** It needs a shell, and nc or bash. */
  readonly image: Pick<Container, 'image' | 'imagePullPolicy'>;
  readonly securityContext?: Container['securityContext'];
}

export function waitContainer({ role, hosts, port, timeoutSeconds, image, securityContext }: PortWait): Container {
  return {
    name: `wait-for-${role}`,
    ...image,
    command: ['sh', '-c', SCRIPT],
    env: [
      { name: 'IP_LIST', value: hosts.join(' ') },
      { name: 'PORT', value: String(port) },
      { name: 'WAIT_TIMEOUT', value: String(timeoutSeconds) },
    ],
    resources: { limits: AMOUNTS, requests: AMOUNTS },
    ...(securityContext && { securityContext }),
  };
}

/** A ResourceQuota may require resources. */
const AMOUNTS = { cpu: '100m', memory: '32Mi' };

/** The timeout uses the clock, because a DNS lookup may be slow. The termination message has only the last line. */
const SCRIPT = `began=$(date +%s)
for host in $IP_LIST; do
  until nc -z -w 2 "$host" "$PORT" 2>/dev/null || timeout 2 bash -c "true < /dev/tcp/$host/$PORT" 2>/dev/null; do
    if [ $(($(date +%s) - began)) -ge "$WAIT_TIMEOUT" ]; then
      message="$host does not listen on port $PORT after $WAIT_TIMEOUT seconds: check whether its pod is Running"
      echo "$message" 2>/dev/null >/dev/termination-log
      echo "$message" >&2
      exit 1
    fi
    echo "waiting for $host on port $PORT"
    sleep 2
  done
done
`;

/** The nodes pull this image anyway, so an init container with it needs no other registry. */
export function programImage({
  template,
  containerName,
}: Pick<ReplicaRole, 'template' | 'containerName'>): Pick<Container, 'image' | 'imagePullPolicy'> {
  const { containers = [] } = template.spec ?? {};
  const { image, imagePullPolicy } = containers.find(({ name }) => name === containerName) ?? containers[0] ?? {};
  return { ...(image !== undefined && { image }), imagePullPolicy: imagePullPolicy ?? 'IfNotPresent' };
}
