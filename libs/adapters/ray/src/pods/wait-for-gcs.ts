/**
 * The init container of a worker that waits for the head's GCS. It needs only bash and Ray in the image. It writes the
 * address and Ray's last message to its termination log, so the reason of a failed pod is known.
 */
import type { Container } from '@muster/job-api';
import { gcsWaitSeconds } from '../model/cluster-annotations.ts';
import { headAddress } from '../model/names.ts';
import { gcsPort } from '../model/ports.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { SHELL } from './start-command.ts';

/** KubeRay's name, by which users find its log. */
const WAIT_FOR_GCS = 'wait-gcs-ready';

/** During the usual start of a head Ray's messages are not shown. */
const QUIET_SECONDS = 120;

const SECONDS_BETWEEN = 5;

/** Small and fixed: a quota may require amounts, and waiting needs no GPU. */
const AMOUNTS = { cpu: '200m', memory: '256Mi' };

/** @param ray the main container, whose environment, mounts and security context it needs to reach the head */
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

/** bash counts SECONDS itself. Ray may need most of a minute to report a missing answer. */
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
