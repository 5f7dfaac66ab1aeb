/**
 * The chart `volcano-crds`: the CRDs of Volcano's Jobs and Commands, for clusters without Volcano. A chart of its own, because five charts
 * cannot own one CRD. Helm installs CRDs in the folder `crds` only if they do not exist, so those of Volcano are kept.
 */
import { crdDocument, VOLCANO_COMMAND_CRD, volcanoJobDefinition } from '@muster/job-api';
import { stringify } from 'yaml';
import { KUBE_VERSION } from './chart-file.ts';

export async function volcanoCrdsFiles(version: string): Promise<Map<string, string>> {
  const { group, plural } = volcanoJobDefinition.resource;
  return new Map([
    ['Chart.yaml', chart(version)],
    ['README.md', README],
    [`crds/${group}_${plural}.yaml`, await crdDocument(volcanoJobDefinition)],
    ['crds/bus.volcano.sh_commands.yaml', stringify(VOLCANO_COMMAND_CRD)],
  ]);
}

function chart(version: string): string {
  return stringify({
    apiVersion: 'v2',
    name: 'volcano-crds',
    description: "CRDs of Volcano's Jobs and Commands, for clusters in which Muster runs them without Volcano.",
    type: 'application',
    version,
    kubeVersion: KUBE_VERSION,
    annotations: { 'artifacthub.io/license': 'Apache-2.0' },
  });
}

const README = `# volcano-crds

CustomResourceDefinitions of Volcano's Jobs (\`jobs.batch.volcano.sh\`) and Commands (\`commands.bus.volcano.sh\`), for clusters in which Muster's operators run them
(\`operator.volcanoJobs=true\`) without Volcano. Install the chart once, before the operators:

\`\`\`sh
helm install volcano-crds charts/volcano-crds
\`\`\`

Helm keeps CRDs that exist; those of Volcano are sufficient. Helm neither upgrades nor deletes the CRDs. To upgrade them, run
\`kubectl apply --server-side -f charts/volcano-crds/crds/\`. The chart has no values. See [Volcano Jobs](../../docs/users/volcano.md).
`;
