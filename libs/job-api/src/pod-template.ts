/**
 * Pod templates, described no deeper than Muster reads them: containers with their names, images, ports and environment, and
 * of what else is read whether it is a list, a map or a text. All other fields are kept exactly as written and are checked by
 * the API server when the pods are made.
 *
 * A full description would make each CRD larger than plain `kubectl apply` can store (256 KiB).
 */
import * as z from 'zod';
import type { PodTemplateSpec } from './kubernetes.ts';
import { withRules, type Rule } from './rule.ts';
import { port } from './scalars.ts';

/** No pod of use has more; the API server needs bounds in order to estimate what the rules cost. */
const MOST_CONTAINERS = 64;

const MOST_VARIABLES = 10_000;

/** What Kubernetes has as a list of objects, which are its own matter. */
function listOfObjects(description: string) {
  return z.array(z.looseObject({})).describe(description).exactOptional();
}

const envVar = z.looseObject({
  name: z.string().describe('Name of the variable.'),
  value: z.string().describe('Its value; numbers and true/false have to be quoted.').exactOptional(),
});

const containerPort = z.looseObject({
  name: z.string().describe('Name of the port, unique within the pod.').exactOptional(),
  containerPort: port().describe('The port that the container listens on.'),
  hostPort: z.int32().min(0).max(65_535).describe('The port on the node; 0 for none.').exactOptional(),
  protocol: z.string().describe('TCP, UDP or SCTP. Default TCP.').exactOptional(),
});

const container = withRules(
  z.looseObject({
    name: z.string().describe('Name of the container, unique within the pod.'),
    image: z.string().describe('The image to run. It must be given.').exactOptional(),
    command: z.array(z.string()).describe("Replaces the image's entrypoint.").exactOptional(),
    args: z.array(z.string()).describe('Arguments of the command.').exactOptional(),
    env: z
      .array(envVar)
      .max(MOST_VARIABLES)
      .describe('Environment variables. Muster adds its own and never replaces one that is named here.')
      .exactOptional(),
    ports: z.array(containerPort).describe('Ports that the container listens on.').exactOptional(),
    resources: z.looseObject({}).describe('Requests and limits, as in Kubernetes.').exactOptional(),
    volumeMounts: listOfObjects('Where volumes of the pod are mounted.'),
    securityContext: z.looseObject({}).describe('The rights of the container.').exactOptional(),
  }),
  [
    {
      cel: 'has(self.image) && self.image.size() > 0',
      holds: (self) => self.image !== undefined && self.image !== '',
      message: 'name the image that this container runs',
      reason: 'FieldValueRequired',
      at: ['image'],
    },
  ],
);

/** By which a container that stands alone, not in a job, is judged. */
export const CONTAINER: { readonly schema: z.ZodType } = { schema: container };

type Containers = z.output<typeof container>[];

function containersSchema(description: string, mainIsThere: Rule<Containers>) {
  return withRules(z.array(container).max(MOST_CONTAINERS).describe(`The containers. ${description}`), [mainIsThere]);
}

function namedContainers(mainContainer: string) {
  return containersSchema(`One of them must be named ${mainContainer}.`, {
    cel: `self.exists(c, c.name == '${mainContainer}')`,
    holds: (self) => self.some(({ name }) => name === mainContainer),
    message: `a container named ${mainContainer} is needed: it is the one that trains, and its exit code decides`,
    reason: 'FieldValueRequired',
  });
}

const anyContainers = () =>
  containersSchema('The first of them is the one that does the work, whatever its name.', {
    cel: 'self.size() > 0',
    holds: (self) => self.length > 0,
    message: 'a container is needed: the first one does the work, and its exit code decides',
    reason: 'FieldValueRequired',
  });

/** The pod template of a role whose work is done in the container named `mainContainer`, or without it in the first one. */
export function podTemplateSchema(mainContainer?: string): z.ZodType<PodTemplateSpec> {
  return templateOf(mainContainer === undefined ? anyContainers() : namedContainers(mainContainer));
}

/** The pod template of a role whose work is done in the first container, and whose own restart policy counts. */
export function podTemplateWithRestartPolicySchema(): z.ZodType<PodTemplateSpec> {
  const restartPolicy = z
    .enum(['Always', 'OnFailure', 'Never', ''])
    .describe('Whether containers that have ended are started again. Default Always.')
    .exactOptional();
  return templateOf(anyContainers(), { restartPolicy });
}

function templateOf(containers: z.ZodType<Containers>, further: z.ZodRawShape = {}): z.ZodType<PodTemplateSpec> {
  const template = z.looseObject({
    metadata: z
      .looseObject({
        labels: z
          .record(z.string(), z.string())
          .describe('Labels of the pods, besides those that Muster sets.')
          .exactOptional(),
        annotations: z.record(z.string(), z.string()).describe('Annotations of the pods.').exactOptional(),
      })
      .describe('Labels and annotations of the pods.')
      .exactOptional(),
    spec: z
      .looseObject({
        containers,
        initContainers: z
          .array(container)
          .max(MOST_CONTAINERS)
          .describe('Containers that run before the others, one after the other.')
          .exactOptional(),
        volumes: listOfObjects('Volumes that containers mount.'),
        tolerations: listOfObjects('Taints of nodes that the pods bear.'),
        imagePullSecrets: listOfObjects('Secrets for pulling images.'),
        nodeSelector: z
          .record(z.string(), z.string())
          .describe('Labels that nodes have which take the pods.')
          .exactOptional(),
        dnsConfig: z
          .looseObject({ searches: z.array(z.string()).describe('Domains to look names up in.').exactOptional() })
          .describe('DNS of the pods. Muster adds a search domain.')
          .exactOptional(),
        ...further,
      })
      .describe(
        'The pod, as in Kubernetes. Only what Muster reads is described and checked here; all else is kept as written and ' +
          'checked when the pods are made.',
      ),
  });
  // The schema describes less than a pod template is; what it lets through unread has Kubernetes' own type.
  return template as z.ZodType as z.ZodType<PodTemplateSpec>;
}
