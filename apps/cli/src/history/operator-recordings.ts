/**
 * Reads the recorded runs of a job from the operators' pods, by a search in the pod: only lines with the job's name are
 * transferred. It needs no port of the operator, and RBAC decides who may read: exec in the operator's namespace.
 */
import { PODS, type Pod } from '@muster/job-api';
import { ExecError, execInPod, isKubeError } from '@muster/kube';
import type { RecordedLine } from '@muster/recording';
import { CommandError } from '../exit-codes.ts';
import type { Session } from '../session.ts';
import { warn } from '../terminal/output.ts';
import { nameText } from './recorded-job.ts';

/** Labels of the charts. */
const SELECTOR = 'app.kubernetes.io/part-of=muster';

const CONTAINER = 'operator';

/** `$1`: the folder, `$2`: the text. Standby replicas may have no files. */
const SEARCH = 'cd "$1" && { ls | grep -q "[.]jsonl$" || exit 0; } && grep -HF -e "$2" -- *.jsonl || [ $? -eq 1 ]';

export interface OperatorSearch {
  /** The job's name. */
  readonly name: string;
  /** Namespace of the operators. Default: all. */
  readonly operatorNamespace?: string | undefined;
}

/** In the order of time. Throws a `CommandError` if no operator records. */
export async function operatorRecordings(session: Session, search: OperatorSearch): Promise<RecordedLine[]> {
  const pods = await recordingPods(session, search.operatorNamespace);
  if (pods.length === 0) {
    const where = search.operatorNamespace === undefined ? '' : ` in namespace ${search.operatorNamespace}`;
    throw new CommandError(
      'notFound',
      `No running operator${where} records reconcile runs. Set recording.enabled=true of its chart, or name copied files: --recording <file or folder>.`,
    );
  }
  const found: (RecordedLine & { readonly file: string })[] = [];
  for (const { pod, folder } of pods) found.push(...(await linesIn(session, pod, folder, search.name)));
  // Names of files begin with the operator and the time, and the lines of a file are in order.
  return found.map((each, at) => ({ ...each, at })).sort((a, b) => a.file.localeCompare(b.file) || a.at - b.at);
}

async function recordingPods(
  { client }: Session,
  namespace: string | undefined,
): Promise<{ pod: Pod; folder: string }[]> {
  try {
    const { items } = await client.list(PODS, { ...(namespace && { namespace }), labelSelector: SELECTOR });
    return items.flatMap((pod) => {
      const folder = recordFolder(pod);
      return folder === undefined || pod.status?.phase !== 'Running' ? [] : [{ pod, folder }];
    });
  } catch (error) {
    if (!isKubeError(error, 'Forbidden') || namespace !== undefined) throw error;
    throw new CommandError(
      'forbidden',
      `${error.message}\nName the namespace of the operators if you may list pods there (--operator-namespace), or name copied files (--recording).`,
    );
  }
}

function recordFolder({ spec }: Pod): string | undefined {
  const { args = [] } = spec?.containers.find(({ name }) => name === CONTAINER) ?? {};
  return args.find((each) => each.startsWith('--record='))?.slice('--record='.length);
}

async function linesIn(
  { client, access, signal }: Session,
  { metadata }: Pod,
  folder: string,
  name: string,
): Promise<(RecordedLine & { readonly file: string })[]> {
  const { namespace = '', name: pod = '' } = metadata ?? {};
  const chunks: Buffer[] = [];
  const command = ['sh', '-c', SEARCH, 'muster', folder, nameText(name)];
  try {
    for await (const chunk of execInPod(access, client, { namespace, pod, container: CONTAINER, command, signal })) {
      chunks.push(chunk);
    }
  } catch (error) {
    if (!(error instanceof ExecError)) throw error;
    warn(`the recording of pod ${namespace}/${pod} cannot be read: ${error.stderr.trim() || error.message}`);
  }
  const text = Buffer.concat(chunks).toString();
  return text.split('\n').flatMap((each) => {
    const colon = each.indexOf(':');
    if (colon < 0) return [];
    const file = each.slice(0, colon);
    return [{ file, line: each.slice(colon + 1), place: `${pod}:${file}` }];
  });
}
