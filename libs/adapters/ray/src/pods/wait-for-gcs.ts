/**
 * The init container of a worker that waits until the head's GCS answers. It needs no more of the image than bash and Ray. While
 * it waits it writes to its termination log for whom, and what Ray has said last: so a pod that is given up says why.
 */
import type { Container } from '@muster/job-api';
import { gcsWaitSeconds } from '../model/cluster-annotations.ts';
import { headAddress } from '../model/names.ts';
import { gcsPort } from '../model/ports.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { SHELL } from './start-command.ts';

/** KubeRay's name, by which users find its log. */
const WAIT_FOR_GCS = 'wait-gcs-ready';

/** For so many seconds a head is expected to be still starting, and what Ray says of it is not shown. */
const QUIET_SECONDS = 120;

const SECONDS_BETWEEN = 5;

/** Small and fixed: a quota may ask for amounts, and waiting needs no GPU. */
const AMOUNTS = { cpu: '200m', memory: '256Mi' };

/** `ray` is the container that it goes before: its environment, mounts and rights are those by which Ray reaches the head. */
export function waitForGcs(cluster: ClusterModel, ray: Container): Container {
  const { image, imagePullPolicy, securityContext, env, volumeMounts } = ray;
  return {
    name: WAIT_FOR_GCS,
    ...(image !== undefined && { image }),
    ...(imagePullPolicy !== undefined && { imagePullPolicy }),
    command: SHELL,
    args: [waitScript(`${headAddress(cluster)}:${gcsPort(cluster)}`, gcsWaitSeconds(cluster))],
    ...(securityContext && { securityContext }),
    ...(env && { env }),
    ...(volumeMounts && { volumeMounts }),
    resources: { limits: AMOUNTS, requests: AMOUNTS },
  };
}

/** SECONDS counts by itself in bash. Ray may take most of a minute to find that there is no answer. */
function waitScript(address: string, deadline: number | undefined): string {
  const giveUp =
    deadline === undefined
      ? ''
      : `  if (( SECONDS >= ${deadline} )); then echo "$answer"; last_word "Gave up: $words"; exit 1; fi\n`;
  return `address="${address}"
last_word() { { echo "$1 \${answer##*$'\\n'}" > /dev/termination-log; } 2> /dev/null || true; }
echo "Waiting for the GCS of the Ray head at $address."
last_word "Waiting for the GCS of the Ray head at $address."
SECONDS=0
until answer=$(ray health-check --address "$address" 2>&1); do
  words="The GCS of the Ray head has not answered at $address for $SECONDS seconds."
  if (( SECONDS > ${QUIET_SECONDS} )); then echo "$answer"; fi
  echo "$words"
  last_word "$words"
${giveUp}  sleep ${SECONDS_BETWEEN}
done
echo "The GCS at $address is ready after $SECONDS seconds."
`;
}
