/**
 * Gateway and HTTPRoute of an incremental upgrade. The route splits the requests between the Services of two RayClusters by weight. Muster
 * checks that the Gateway's controller has accepted them; it does not see how requests are routed.
 */
import type { KubeObject, Resource } from '@muster/job-api';

const GROUP = 'gateway.networking.k8s.io';

export const GATEWAYS: Resource = {
  group: GROUP,
  version: 'v1',
  kind: 'Gateway',
  plural: 'gateways',
  namespaced: true,
};

export const HTTP_ROUTES: Resource = {
  group: GROUP,
  version: 'v1',
  kind: 'HTTPRoute',
  plural: 'httproutes',
  namespaced: true,
};

interface Named {
  readonly name: string;
  readonly namespace: string;
}

function gatewayName(service: string): string {
  return `${service}-gateway`;
}

function httpRouteName(service: string): string {
  return `${service}-httproute`;
}

export interface RouteBackend {
  readonly service: string;
  readonly port: number;
  readonly weight: number;
}

/** The fields that Muster sets; the engine adds owner and labels. */
export function gatewayOf({ name, namespace }: Named, gatewayClassName: string): KubeObject & { spec: object } {
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'Gateway',
    metadata: { name: gatewayName(name), namespace },
    spec: { gatewayClassName, listeners: [{ name: 'http', protocol: 'HTTP', port: 80 }] },
  };
}

/** All paths, to the Services of the active and the pending cluster. */
export function httpRouteOf(
  { name, namespace }: Named,
  backends: readonly RouteBackend[],
): KubeObject & { spec: object } {
  const matches = [{ path: { type: 'PathPrefix', value: '/' } }];
  const backendRefs = backends.map(({ service, port, weight }) => ({ name: service, port, weight }));
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'HTTPRoute',
    metadata: { name: httpRouteName(name), namespace },
    spec: { parentRefs: [{ name: gatewayName(name) }], rules: [{ matches, backendRefs }] },
  };
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

interface GatewayStatus {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

interface RouteStatus {
  readonly status?: {
    readonly parents?: readonly {
      readonly parentRef?: { readonly name?: string };
      readonly conditions?: readonly Condition[];
    }[];
  };
}

/** Why requests are not routed as the objects say, in one line. Undefined: their controller has accepted them as they are now. */
export function routeProblem(gateway: KubeObject | undefined, route: KubeObject | undefined): string | undefined {
  if (gateway === undefined) return 'the Gateway does not exist yet';
  if (route === undefined) return 'the HTTPRoute does not exist yet';
  const gatewayConditions = (gateway as GatewayStatus).status?.conditions ?? [];
  const parents = (route as RouteStatus).status?.parents ?? [];
  // Several controllers may report on one parent: any that has accepted the route is enough.
  const own = parents.filter(({ parentRef }) => parentRef?.name === gateway.metadata?.name);
  const routeProblems = (own.length === 0 ? [{ conditions: [] }] : own).map(({ conditions = [] }) =>
    conditionProblem('HTTPRoute', route, conditions, ['Accepted', 'ResolvedRefs']),
  );
  return (
    conditionProblem('Gateway', gateway, gatewayConditions, ['Accepted', 'Programmed']) ??
    (routeProblems.includes(undefined) ? undefined : routeProblems[0])
  );
}

function conditionProblem(
  kind: string,
  { metadata }: KubeObject,
  conditions: readonly Condition[],
  types: readonly string[],
): string | undefined {
  const who = `${kind} ${metadata?.name}`;
  for (const type of types) {
    const found = conditions.find((each) => each.type === type);
    if (found === undefined) return `${who} has no condition ${type}: no controller has processed it`;
    const { status, reason = '', message = '', observedGeneration } = found;
    // A controller that reports no generation cannot be checked.
    if (observedGeneration !== undefined && observedGeneration < (metadata?.generation ?? 0)) {
      return `its controller has not processed the newest generation of ${who}`;
    }
    const cause = [reason, message].filter((part) => part !== '').join(': ');
    if (status !== 'True') return `${who} is not ${type}${cause === '' ? '' : `: ${cause}`}`;
  }
  return undefined;
}
