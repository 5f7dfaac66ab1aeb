/**
 * The chart `volcano-crds`: the CRDs of Volcano's Jobs and Commands, for clusters without Volcano. Five charts cannot own one CRD. They stand in
 * the folder `crds`, so Helm installs those that are not there, and leaves alone what Volcano has installed.
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
    description: "The CRDs of Volcano's Jobs and Commands, for clusters in which Muster runs them and no Volcano is installed.",
    type: 'application',
    version,
    kubeVersion: KUBE_VERSION,
    annotations: { 'artifacthub.io/license': 'Apache-2.0' },
  });
}

const README = `# volcano-crds

The CustomResourceDefinitions of Volcano's Jobs (\`jobs.batch.volcano.sh\`) and Commands (\`commands.bus.volcano.sh\`), for clusters in which Muster's operators run them
(\`operator.volcanoJobs=true\`) and no Volcano is installed. Install it once, before the operators:

\`\`\`sh
helm install volcano-crds charts/volcano-crds
\`\`\`

What is there already is left as it is: Volcano's own serve as well. Helm neither upgrades nor deletes them: to upgrade,
\`kubectl apply --server-side -f charts/volcano-crds/crds/\`. The chart has no values. [Volcano Jobs](../../docs/users/volcano.md)
`;
