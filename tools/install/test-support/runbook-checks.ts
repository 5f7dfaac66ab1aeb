/**
 * The expected output of each command of the runbooks, and where a test runs it: with the fault that fires the page's alert (`fault`), with
 * a healthy operator in pods (`well`), or, because it changes something, at the end of such an operator's test (`mitigation`). An operator
 * that runs as a process has no pods: commands that read its log read the file.
 */
export interface RunbookCheck {
  /** The page; default: all pages. */
  readonly alert?: string;
  readonly command: RegExp;
  readonly where: 'fault' | 'well' | 'mitigation';
  /** Part of the command's output, errors included. */
  readonly shows: RegExp;
  /** Whether it exits with a code other than 0. */
  readonly fails?: true;
  /** Whether it must not be repeated. */
  readonly once?: true;
}

/** Lines of two pods, each with the pod's name. */
const LOG_OF_TWO_PODS = /^\[pod\/(\S+)\/\S+\] \{[\s\S]*^\[pod\/(?!\1)\S+\] \{/m;

/** The first matching entry applies. */
export const CHECKS: readonly RunbookCheck[] = [
  // Jobs.
  { alert: 'MusterElasticBelowMinimum', command: /^muster why/, where: 'fault', shows: /Unschedulable|unschedulable/ },
  { command: /^kubectl -n <namespace> get pods -o wide/, where: 'fault', shows: /shrunk-worker-\d .*Pending/ },
  { command: /^muster scale/, where: 'fault', shows: /2/, once: true },
  { alert: 'MusterJobGoodputLow', command: /^muster goodput/, where: 'fault', shows: /Restarting/ },
  { alert: 'MusterJobGoodputLow', command: /^muster why/, where: 'fault', shows: /130/ },
  { alert: 'MusterJobProgressUnknown', command: /^muster why/, where: 'fault', shows: /progress/i },
  { command: /^kubectl -n <namespace> get networkpolicy$/, where: 'fault', shows: /No resources found|POD-SELECTOR/ },
  { command: /proxy\/progress'/, where: 'fault', shows: /error|refused|unable|no /i, fails: true },
  { alert: 'MusterJobRestarting', command: /^muster why/, where: 'fault', shows: /130/ },
  { alert: 'MusterJobRestarting', command: /^muster logs/, where: 'fault', shows: /starts/ },
  { command: /^kubectl -n <namespace> get events --field/, where: 'fault', shows: /Restarting/ },
  { command: /^muster suspend/, where: 'fault', shows: /suspend/, once: true },
  { alert: 'MusterJobStalled', command: /^muster why/, where: 'fault', shows: /no progress/i },
  { alert: 'MusterJobStalled', command: /^muster logs/, where: 'well', shows: /trains/ },
  { command: /^kubectl -n <namespace> debug/, where: 'well', shows: /Targeting container/, once: true },
  { command: /^kubectl -n <namespace> logs <pod> -c stack/, where: 'well', shows: /Thread.*\n.*wait_for_ever/ },
  { alert: 'MusterJobWaiting', command: /^muster why/, where: 'fault', shows: /Unschedulable|node/ },
  { command: /^kubectl -n <namespace> describe <kind>/, where: 'fault', shows: /Unschedulable/ },
  { command: /get mljobs$/, where: 'fault', shows: /bad-5 +Failed/ },
  { alert: 'MusterJobsFailing', command: /^muster why/, where: 'fault', shows: /exit code 1|exited with 1/i },
  { alert: 'MusterJobsFailing', command: /^muster logs/, where: 'fault', shows: /cannot read the data/ },
  { alert: 'MusterRayCronJobMissed', command: /^muster why/, where: 'fault', shows: /concurrencyPolicy Forbid/ },
  { command: /get rayjobs -l ray.io\/cronjob-name/, where: 'fault', shows: /Running|Initializing/ },
  { alert: 'MusterRayServiceNotReady', command: /^muster why/, where: 'fault', shows: /is not ready/ },
  { alert: 'MusterRayServiceUpgradeSlow', command: /^muster why/, where: 'fault', shows: /Upgrade: RayCluster/ },
  { command: /get rayclusters -l ray.io\/originated-from-cr-name/, where: 'fault', shows: /NAME/ },
  { alert: 'MusterReconcileDefects', command: /^muster why/, where: 'fault', shows: /PlanningFailed/ },
  { command: /^kubectl get events -A/, where: 'fault', shows: /PlanningFailed/ },
  { command: /get <kind> <job> -o yaml > job.yaml/, where: 'well', shows: /^$/ },
  { command: /^muster plan -f job.yaml/, where: 'well', shows: /kind: Pod/ },
  // The operator's log.
  { command: /logs .*\| grep 'reconcile failed'/, where: 'fault', shows: /"name":"/ },
  { command: /logs .*\| grep '"stack"'/, where: 'fault', shows: /\.ts|\.js/ },
  {
    alert: 'MusterNoLeader',
    command: /logs .*\| grep -i lease/,
    where: 'fault',
    shows: /no right to read and write the Lease.*forbidden/i,
  },
  { command: /logs .*\| grep -i watch/, where: 'fault', shows: /watch/i },
  { command: /logs .*\| grep -i record/, where: 'fault', shows: /no longer recorded/ },
  { command: /get persistentvolumeclaims$/, where: 'well', shows: /No resources found|NAME/ },
  { command: /logs .* --previous/, where: 'well', shows: /the process ended by the test|"message"/ },
  { command: /^kubectl -n \$NS logs -l \$OPERATOR --prefix --tail=\d+$/, where: 'well', shows: LOG_OF_TWO_PODS },
  // The operator itself.
  { command: /auth can-i update/, where: 'fault', shows: /^no/, fails: true },
  { command: /get leases /, where: 'well', shows: /\S+ +\S+ +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/ },
  { command: /get deployments -A -l app.kubernetes.io\/part-of=muster/, where: 'well', shows: /\S+ +\S+ +2\/2/ },
  {
    command: /^muster preflight/,
    where: 'fault',
    shows: /holds the Lease leaders\/|is Muster's operator/,
    fails: true,
  },
  { command: /\/readyz\?verbose/, where: 'well', shows: /readyz check passed/ },
  { command: /get deployments,replicasets,pods/, where: 'fault', shows: /deployment.apps\/\S+ +0\/0/ },
  { command: /describe deployments,replicasets/, where: 'fault', shows: /Scaled down replica set/ },
  {
    command: /describe pods -l/,
    where: 'well',
    shows: /Restart Count: +\d[\s\S]*Events:[\s\S]*Restart Count: +\d[\s\S]*Events:/,
  },
  { command: /get networkpolicies/, where: 'well', shows: /POD-SELECTOR|No resources found/ },
  { command: /get servicemonitors,podmonitors/, where: 'well', shows: /servicemonitor|podmonitor|No resources found/i },
  { command: /custom-columns=POD/, where: 'well', shows: /LAST END\n(?:\S+ +\S+ +\d+ +\S+\n)+/ },
  { command: /^for pod in .*readyz/, where: 'well', shows: /(?:pod\/\S+ 200 .*\n?){2}/ },
  // Commands that change something.
  { command: /rollout restart/, where: 'mitigation', shows: /restarted/, once: true },
  { command: /helm -n \$NS rollback/, where: 'mitigation', shows: /Rollback was a success/, once: true },
];
