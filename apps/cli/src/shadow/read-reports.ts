/** Reads the reports of the operators in shadow mode from their HTTP port, through the API server. */
import type { ShadowReport } from '@muster/shadow';
import { PODS, type Pod } from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import { CommandError } from '../exit-codes.ts';
import type { Session } from '../session.ts';
import { isInShadow } from './is-in-shadow.ts';

/** Labels of the charts. */
const SELECTOR = 'app.kubernetes.io/part-of=muster';
const CONTAINER = 'operator';

interface Search {
  /** Of the jobs. Default: all. */
  readonly namespace: string | undefined;
  /** Default: all. */
  readonly operatorNamespace: string | undefined;
}

/** Throws a `CommandError` if no operator runs in shadow mode. */
export async function shadowReports(
  session: Session,
  { namespace, operatorNamespace }: Search,
): Promise<ShadowReport[]> {
  const pods = await shadowPods(session, operatorNamespace);
  if (pods.length === 0) {
    const where = operatorNamespace === undefined ? '' : ` in namespace ${operatorNamespace}`;
    throw new CommandError(
      'notFound',
      `No running operator${where} is in shadow mode. Install one beside the other operator, with shadow.enabled=true of its chart.`,
    );
  }
  const query = namespace === undefined ? '' : `?namespace=${encodeURIComponent(namespace)}`;
  return Promise.all(
    pods.map(async (pod) => {
      const { metadata } = pod;
      const port = operatorOf(pod)?.ports?.[0]?.containerPort ?? 8080;
      const path = `/api/v1/namespaces/${metadata?.namespace}/pods/${metadata?.name}:${port}/proxy/shadow${query}`;
      return JSON.parse(await session.client.text(path, { signal: session.signal })) as ShadowReport;
    }),
  );
}

async function shadowPods({ client }: Session, namespace: string | undefined): Promise<Pod[]> {
  try {
    const where = { ...(namespace && { namespace }), labelSelector: SELECTOR };
    const { items } = await client.list(PODS, where);
    return items.filter((pod) => isInShadow(operatorOf(pod)?.args ?? []) && pod.status?.phase === 'Running');
  } catch (error) {
    if (!isKubeError(error, 'Forbidden') || namespace !== undefined) throw error;
    throw new CommandError(
      'forbidden',
      `${error.message}\nName the namespace of the operators if you may list pods there: --operator-namespace.`,
    );
  }
}

function operatorOf({ spec }: Pod) {
  return spec?.containers.find(({ name }) => name === CONTAINER);
}
