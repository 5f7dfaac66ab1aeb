/** The API server's rules about a container. */
import {
  all,
  distinct,
  fields,
  fieldsOf,
  isAbsent,
  list,
  oneOf,
  present,
  single,
  text,
  within,
  type Check,
} from './check.ts';
import { isPortName, label, portName, qualifiedName, subdomain, variableName } from './names.ts';
import { resources } from './resource-problems.ts';

const LARGEST_ID = 2 ** 31 - 1;

export const LARGEST_PORT = 65_535;

export const id = within(0, LARGEST_ID);

/** The keys of ConfigMaps and Secrets. */
const DATA_KEY = text((value) => /^[-._a-zA-Z0-9]{1,253}$/.test(value), 'must be letters, digits, "-", "_" and "."');

const isInside = (path: string) => !path.startsWith('/') && !path.split('/').includes('..');

export const relativePath = text(isInside, 'must be a relative path without ".."');

const named = (message: string) => all(present(message), subdomain);

const keyOf = (object: string) =>
  fields({ name: present(`name the ${object}`), key: all(present(`name a key of the ${object}`), DATA_KEY) });

const FIELD =
  /^(metadata\.(name|namespace|uid|(labels|annotations)\['.*'\])|spec\.(nodeName|serviceAccountName)|status\.(hostIPs?|podIPs?))$/;
const RESOURCE = /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)$/;

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

const valueFrom = all(
  single(SOURCES, { isRequired: true, what: 'one source' }),
  fields({
    fieldRef: fields({
      fieldPath: all(
        present('name a field of the pod'),
        text((path) => FIELD.test(path), 'no variable can have this field'),
      ),
    }),
    resourceFieldRef: fields({
      resource: all(
        present('name a resource such as limits.memory'),
        text((name) => RESOURCE.test(name), 'must be such as limits.memory or requests.cpu'),
      ),
    }),
    configMapKeyRef: keyOf('ConfigMap'),
    secretKeyRef: keyOf('Secret'),
  }),
);

export const variable: Check = (value, path) => {
  const { value: own, valueFrom: source } = fieldsOf(value);
  const isTwice = !isAbsent(own) && source !== undefined && source !== null;
  return [
    ...fields({
      name: all(present('name the variable'), variableName),
      valueFrom: isTwice ? () => [] : optionalObject(valueFrom),
    })(value, path),
    ...(isTwice ? [{ path: `${path}.valueFrom`, message: 'Forbidden: the variable already has a value' }] : []),
  ];
};

/** An empty object is there, an absent one is not. */
function optionalObject(check: Check): Check {
  return (value, path) => (value === undefined || value === null ? [] : check(value, path));
}

const envFrom = all(
  single(['configMapRef', 'secretRef'], { isRequired: true, what: 'one source' }),
  fields({
    prefix: variableName,
    configMapRef: fields({ name: named('name the ConfigMap') }),
    secretRef: fields({ name: named('name the Secret') }),
  }),
);

const port = fields({
  name: portName,
  containerPort: all(present('the port that the container listens on'), within(1, LARGEST_PORT)),
  hostPort: within(0, LARGEST_PORT),
  protocol: oneOf('TCP', 'UDP', 'SCTP'),
});

const mount = all(
  fields({
    name: present('name a volume of the pod'),
    mountPath: present('the path in the container'),
    mountPropagation: oneOf('None', 'HostToContainer', 'Bidirectional'),
    subPath: relativePath,
    subPathExpr: relativePath,
  }),
  single(['subPath', 'subPathExpr'], { isRequired: false, what: 'the path in the volume' }),
);

const targetPort: Check = (value, path) =>
  typeof value === 'string'
    ? text((name) => isPortName(name), 'must be a port or the name of one')(value, path)
    : within(1, LARGEST_PORT)(value, path);

const network = fields({ port: all(present('the port'), targetPort), scheme: oneOf('HTTP', 'HTTPS') });

const HANDLERS: Readonly<Record<string, Check>> = {
  exec: fields({ command: present('the command') }),
  httpGet: network,
  tcpSocket: network,
  grpc: fields({ port: all(present('the port'), within(1, LARGEST_PORT)) }),
  sleep: fields({}),
};

/** One of these handlers. */
const handler = (...names: readonly string[]) =>
  optionalObject(
    all(
      single(names, { isRequired: true, what: 'a handler type' }),
      fields(Object.fromEntries(names.map((name) => [name, HANDLERS[name] ?? fields({})]))),
    ),
  );

const count = within(0, LARGEST_ID);

const probe = (mostSuccesses: number) =>
  all(
    handler('exec', 'httpGet', 'tcpSocket', 'grpc'),
    fields({
      ...{ initialDelaySeconds: count, timeoutSeconds: count, periodSeconds: count, failureThreshold: count },
      successThreshold: within(0, mostSuccesses),
      terminationGracePeriodSeconds: within(1, Number.MAX_SAFE_INTEGER),
    }),
  );

const lifecycleHandler = handler('exec', 'httpGet', 'tcpSocket', 'sleep');

/** Without rules about other containers and volumes of the pod. */
export const container: Check = fields({
  name: all(present('name the container'), label),
  image: all(
    present('name the image that this container runs'),
    text((value) => value.trim() === value, 'must not have leading or trailing white space'),
  ),
  imagePullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
  terminationMessagePolicy: oneOf('File', 'FallbackToLogsOnError'),
  ports: all(list(port), distinct('name')),
  env: list(variable),
  envFrom: list(envFrom),
  volumeMounts: all(list(mount), distinct('mountPath')),
  resources,
  lifecycle: fields({ postStart: lifecycleHandler, preStop: lifecycleHandler }),
  livenessProbe: probe(1),
  startupProbe: probe(1),
  readinessProbe: probe(LARGEST_ID),
  securityContext: fields({
    runAsUser: id,
    runAsGroup: id,
    seccompProfile: fields({ type: oneOf('RuntimeDefault', 'Unconfined', 'Localhost') }),
  }),
  resizePolicy: list(fields({ resourceName: qualifiedName })),
});
