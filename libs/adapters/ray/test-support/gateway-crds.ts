/** The CustomResourceDefinitions of the Gateway API, as its project publishes them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { moduleFolder } from '@muster/cluster';
import type { CustomResourceDefinition } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';
import { installCrd } from '@muster/testing';
import { parse } from 'yaml';

const GATEWAY_API = { module: 'sigs.k8s.io/gateway-api', version: '1.6.3' };

export async function installGatewayApi(client: KubeClient): Promise<void> {
  const folder = join(await moduleFolder(GATEWAY_API), 'config/crd/standard');
  for (const plural of ['gateways', 'httproutes']) {
    const text = await readFile(join(folder, `gateway.networking.k8s.io_${plural}.yaml`), 'utf8');
    await installCrd(client, parse(text) as CustomResourceDefinition);
  }
}
