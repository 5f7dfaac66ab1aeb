/**
 * Compares the requests of operators' accounts, from the API server's audit log, with the RBAC rules that bind them: operators must have
 * the rights that they need, and no others.
 */

/** The fields of an `Event` of `audit.k8s.io/v1` that are read. */
export interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly message?: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** An RBAC rule. */
export interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
}

/** One verb on one resource of one group; a subresource is part of the resource (`pods/exec`). */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
}

/** The account `system:serviceaccount:<namespace>:<name>`. */
export function accountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Formats a right: `patch pods/status`, or `patch jobs.batch/status`. */
export function formatRight({ verb, group, resource }: Right): string {
  const [plural = '', ...sub] = resource.split('/');
  return `${verb} ${[group === '' ? plural : `${plural}.${group}`, ...sub].join('/')}`;
}

export function rightsOf(rules: readonly PolicyRule[]): Right[] {
  return rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => ({ verb, group, resource })))),
  );
}

/** The rights that authorization refused the account, each once, with an example. */
export function refusedRights(events: Iterable<AuditEvent>, user: string): string[] {
  const refused = new Map<string, string>();
  for (const event of events) {
    if (event.user.username !== user || event.annotations?.['authorization.k8s.io/decision'] !== 'forbid') continue;
    const right = rightOf(event);
    // A group that a test made up and grants rights for itself.
    if (right.group.endsWith('.example')) continue;
    const text = formatRight(right);
    const { namespace, name } = event.objectRef ?? {};
    if (!refused.has(text)) refused.set(text, `${text} (${[namespace, name].filter(Boolean).join('/') || 'all'})`);
  }
  return [...refused.values()].sort();
}

/** The rights of `granted` that the account never used. */
export function unusedRights(events: Iterable<AuditEvent>, user: string, granted: readonly Right[]): string[] {
  const used = new Set<string>();
  for (const event of events) if (event.user.username === user) used.add(formatRight(rightOf(event)));
  return [...new Set(granted.map(formatRight))].filter((right) => !used.has(right)).sort();
}

function rightOf({ verb, objectRef = {} }: AuditEvent): Right {
  const { apiGroup: group = '', resource = '', subresource } = objectRef;
  return { verb, group, resource: subresource === undefined ? resource : `${resource}/${subresource}` };
}
