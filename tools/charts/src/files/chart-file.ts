/** `Chart.yaml` of a framework's chart. */
import { FRAMEWORKS, type FrameworkName } from '@muster/job-api';
import { stringify } from 'yaml';
import { FRAMEWORK_CHARTS } from '../framework-charts.ts';
import { listOf } from './list-of.ts';

/** The oldest supported release. The suffix admits versions of providers, such as 1.31.3-gke.100. */
export const KUBE_VERSION = '>=1.31.0-0';

export function chartFile(framework: FrameworkName, version: string): string {
  const { title } = FRAMEWORK_CHARTS[framework];
  const kinds = FRAMEWORKS[framework].map(({ resource }) => resource.kind);
  const crds = FRAMEWORKS[framework].map(({ resource, schema }) => ({
    kind: resource.kind,
    version: resource.version,
    name: `${resource.plural}.${resource.group}`,
    displayName: resource.kind,
    description: schema.description ?? '',
  }));
  return stringify(
    {
      apiVersion: 'v2',
      name: framework,
      description: `Muster's operator for ${title}: runs ${listOf(kinds)} on Kubernetes.`,
      type: 'application',
      version,
      appVersion: version,
      kubeVersion: KUBE_VERSION,
      keywords: [...new Set([title.toLowerCase(), framework, ...kinds, 'operator', 'training', 'distributed'])],
      annotations: {
        'artifacthub.io/category': 'ai-machine-learning',
        'artifacthub.io/license': 'Apache-2.0',
        'artifacthub.io/operator': 'true',
        'artifacthub.io/operatorCapabilities': 'Seamless Upgrades',
        'artifacthub.io/crds': stringify(crds, { lineWidth: 0 }),
      },
    },
    { lineWidth: 0 },
  );
}

/** `Chart.yaml` of the umbrella chart. */
export function umbrellaChartFile(frameworks: readonly FrameworkName[], version: string): string {
  return stringify(
    {
      apiVersion: 'v2',
      name: 'muster',
      description: 'The Muster operators of several frameworks in one release.',
      type: 'application',
      version,
      appVersion: version,
      kubeVersion: KUBE_VERSION,
      keywords: [...frameworks, 'operator', 'training', 'distributed'],
      dependencies: frameworks.map((name) => ({
        name,
        version,
        repository: `file://../${name}`,
        condition: `${name}.enabled`,
      })),
      annotations: {
        'artifacthub.io/category': 'ai-machine-learning',
        'artifacthub.io/license': 'Apache-2.0',
        'artifacthub.io/operator': 'true',
      },
    },
    { lineWidth: 0 },
  );
}
