/**
 * The launch sequence: an init container that waits until all pods that this one needs take connections. All pods are made at
 * once, so a gang scheduler has its number.
 */
import type { Container, PodSpec } from '@muster/job-api';
import { onOff, seconds, text, type Flag } from '../arguments/flags.ts';
import { withInitContainer, type PodChange } from './pod-change.ts';

type WaitFlags<R extends string> = Record<`wait-${R}-enabled`, Flag<boolean>> &
  Record<`wait-${R}-timeout`, Flag<number>> &
  Record<`wait-${R}-image`, Flag<string>>;

/** The flags of a plugin of which pods wait for `role`. */
export function waitFlags<R extends string>(role: R): WaitFlags<R> {
  return {
    [`wait-${role}-enabled`]: onOff(false, `Whether an init container waits for ${role}s that do not listen yet.`),
    [`wait-${role}-timeout`]: seconds(300, 'After how many seconds it fails.'),
    [`wait-${role}-image`]: text('busybox:1.36.1', 'What it runs: it needs a shell, and nc or bash.'),
  } as WaitFlags<R>;
}

export interface Wait {
  /** `wait-for-<role>` is the name of the container. */
  readonly role: string;
  readonly hosts: readonly string[];
  readonly port: number;
  readonly timeoutSeconds: number;
  readonly image: string;
}

/** The pod that waits, which has such a container then. */
export function waitingFor(wait: Wait): PodChange {
  return (spec) => withInitContainer(waitContainer(wait, spec))(spec);
}

/** `spec` is the pod that waits: in a namespace that restricts pods its containers have the rights that are asked for. */
function waitContainer({ role, hosts, port, timeoutSeconds, image }: Wait, spec: PodSpec): Container {
  const securityContext = spec.containers[0]?.securityContext;
  return {
    name: `wait-for-${role}`,
    image,
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

/** A quota may ask for amounts. */
const AMOUNTS = { cpu: '100m', memory: '32Mi' };

/** By the clock: a look-up may take long. Images have nc, or bash. */
const SCRIPT = `began=$(date +%s)
for host in $IP_LIST; do
  until nc -z -w 2 "$host" "$PORT" 2>/dev/null || timeout 2 bash -c "true < /dev/tcp/$host/$PORT" 2>/dev/null; do
    if [ $(($(date +%s) - began)) -ge "$WAIT_TIMEOUT" ]; then
      echo "$host does not listen on port $PORT after $WAIT_TIMEOUT seconds: does its pod run, and has it not failed?" >&2
      exit 1
    fi
    echo "waiting for $host on port $PORT"
    sleep 2
  done
done
`;
