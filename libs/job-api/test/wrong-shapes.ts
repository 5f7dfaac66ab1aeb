/** Lists written as maps, and maps as lists, in a pod template. Planning reads these fields, so every kind refuses them. */
import type { RefusedManifest } from './admission-table.ts';
import type { KindManifests } from './kind-manifests.ts';

const DATA = { name: 'data', emptyDir: {} };

export function refusedShapes({ field, trainer, workers }: KindManifests): RefusedManifest[] {
  const spec = `spec.${field}[Worker].template.spec`;
  const ofPod = (part: string, value: unknown, message: string): RefusedManifest => ({
    what: `${part} of the wrong shape`,
    manifest: workers({ template: { spec: { containers: [trainer()], [part]: value } } }),
    path: `${spec}.${part}`,
    message,
  });
  const ofContainer = (part: string, value: unknown, message: string): RefusedManifest => ({
    what: `${part} of a container, of the wrong shape`,
    manifest: workers({ template: { spec: { containers: [trainer({ [part]: value })] } } }),
    path: `${spec}.containers[0].${part}`,
    message,
  });
  const search = workers({ template: { spec: { containers: [trainer()], dnsConfig: { searches: 'example.com' } } } });
  return [
    ...['volumes', 'tolerations', 'imagePullSecrets', 'initContainers'].map((part) =>
      ofPod(part, DATA, 'must be of type array'),
    ),
    ofPod('nodeSelector', ['gpu'], 'must be of type object'),
    ofPod('dnsConfig', [], 'must be of type object'),
    ...['volumeMounts', 'env', 'ports', 'command'].map((part) => ofContainer(part, DATA, 'must be of type array')),
    ofContainer('resources', [{ limits: {} }], 'must be of type object'),
    ofContainer('securityContext', 'privileged', 'must be of type object'),
    {
      what: 'search domains that are not a list',
      manifest: search,
      path: `${spec}.dnsConfig.searches`,
      message: 'must be of type array',
    },
  ];
}
