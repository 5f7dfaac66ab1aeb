/**
 * Whether operators have the rights that they need, and no others: what an API server's audit log says that their accounts have asked
 * for, against the rules that bind them.
 */

/** Of an `Event` of `audit.k8s.io/v1`, what is read here. */
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

/** A rule of RBAC. */
export interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
}

/** One verb on one resource (`pods/exec` with its subresource) of one group. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
}

/** The account that Kubernetes calls `system:serviceaccount:<namespace>:<name>`. */
export function accountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** `patch pods/status`, or `patch jobs.batch/status`. */
export function wordsOf({ verb, group, resource }: Right): string {
  const [plural = '', ...sub] = resource.split('/');
  return `${verb} ${[group === '' ? plural : `${plural}.${group}`, ...sub].join('/')}`;
}

export function rightsOf(rules: readonly PolicyRule[]): Right[] {
  return rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => ({ verb, group, resource })))),
  );
}

/** What authorization refused the account: each right once, with an example of where it was missing. */
export function refusedRights(events: Iterable<AuditEvent>, user: string): string[] {
  const refused = new Map<string, string>();
  for (const event of events) {
    if (event.user.username !== user || event.annotations?.['authorization.k8s.io/decision'] !== 'forbid') continue;
    const right = rightOf(event);
    // A group that a test has made up, for which it gives the rights itself.
    if (right.group.endsWith('.example')) continue;
    const words = wordsOf(right);
    const { namespace, name } = event.objectRef ?? {};
    if (!refused.has(words)) refused.set(words, `${words} (${[namespace, name].filter(Boolean).join('/') || 'all'})`);
  }
  return [...refused.values()].sort();
}

/** Which of `granted` the account has never made use of. */
export function unusedRights(events: Iterable<AuditEvent>, user: string, granted: readonly Right[]): string[] {
  const used = new Set<string>();
  for (const event of events) if (event.user.username === user) used.add(wordsOf(rightOf(event)));
  return [...new Set(granted.map(wordsOf))].filter((words) => !used.has(words)).sort();
}

function rightOf({ verb, objectRef = {} }: AuditEvent): Right {
  const { apiGroup: group = '', resource = '', subresource } = objectRef;
  return { verb, group, resource: subresource === undefined ? resource : `${resource}/${subresource}` };
}
