/** What the API server refuses: by quota, by policy, as invalid, or because the namespace is going. */
import { type Event, type KubeObject, PODS, type Resource } from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import { expect } from 'vitest';
import { NAMESPACES } from '../test-cluster.ts';
import type { ConformanceCase } from './conformance-case.ts';
import type { Stage } from './stage.ts';
import type { StagedJob } from './staged-job.ts';

type WithSpec = KubeObject & { spec?: object; status?: { hard?: object } };

const QUOTAS: Resource<WithSpec> = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
};

const policyResource = (kind: string, plural: string): Resource<WithSpec> => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind,
  plural,
  namespaced: false,
});

const POLICIES = policyResource('ValidatingAdmissionPolicy', 'validatingadmissionpolicies');
const POLICY_BINDINGS = policyResource('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings');

const LABEL = 'conformance.muster.dev/approved';

interface Requirement {
  readonly what: string;
  readonly rule: object;
  readonly reason: 'Forbidden' | 'Invalid';
  /** Whether such objects are let through now. */
  readonly isMet: (stage: Stage) => Promise<boolean>;
}

const podsNeedLabel = (reason: Requirement['reason']): Requirement => ({
  what: 'pods',
  rule: { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
  reason,
  isMet: mayCreatePods,
});

/** From now on these objects of the namespace need a label. Returns the way to take that back. */
async function requireLabel(stage: Stage, { what, rule, reason, isMet }: Requirement): Promise<() => Promise<void>> {
  const { client, namespace } = stage;
  const name = `${namespace}-approved`;
  const remove = async () => {
    for (const resource of [POLICY_BINDINGS, POLICIES]) {
      await client.delete(resource, { name }).catch((error: unknown) => {
        if (!isKubeError(error, 'NotFound')) throw error;
      });
    }
  };
  stage.atEnd(remove);
  await client.create(POLICIES, {
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [
        {
          expression: `has(object.metadata.labels) && '${LABEL}' in object.metadata.labels`,
          message: `${what} need the label ${LABEL}`,
          reason,
        },
      ],
    },
  });
  await client.create(POLICY_BINDINGS, {
    metadata: { name },
    spec: {
      policyName: name,
      validationActions: ['Deny'],
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
    },
  });
  await stage.until(async () => !(await isMet(stage)), 'the admission policy is in force');
  return async () => {
    await remove();
    await stage.until(() => isMet(stage), 'the admission policy is no longer in force');
  };
}

/** Waits until it was told more than twice that pods could not be made. Returns the events that tell so. */
async function toldAgain(stage: Stage, job: StagedJob): Promise<Event[]> {
  let told: Event[] = [];
  return stage.until(
    async () => {
      told = (await stage.eventsAbout(job.name)).filter(({ reason }) => reason === 'FailedCreatePod');
      return told.some(({ series }) => (series?.count ?? 1) > 2) && told;
    },
    () => ({ told }),
  );
}

async function mayCreatePods({ client, namespace }: Stage): Promise<boolean> {
  const pod = {
    metadata: { name: 'asked', namespace },
    spec: { schedulerName: 'nobody', containers: [{ name: 'c', image: 'registry.example/x:1' }] },
  };
  return isLetThrough(() => client.create(PODS, pod, { dryRun: true }));
}

async function isLetThrough(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (isKubeError(error, 'Forbidden', 'Invalid')) return false;
    throw error;
  }
}

export const refusalCases: readonly ConformanceCase[] = [
  {
    name: 'pods beyond a quota are tried again with back-off and told in one event, and are all made once it is raised',
    async play(stage) {
      stage.bearsErrors = true;
      const key = { namespace: stage.namespace, name: 'few' };
      // Whoever reads that the quota is in force may be earlier than the API server's admission, which refuses all pods
      // until it knows how much is used.
      await stage.client.create(QUOTAS, { metadata: key, spec: { hard: { pods: '0' } } });
      await stage.until(async () => !(await mayCreatePods(stage)), 'admission has heard of the quota');
      await stage.client.patch(QUOTAS, key, { spec: { hard: { pods: '1' } } });
      await stage.until(() => mayCreatePods(stage), 'the quota leaves room for one pod');
      const job = await stage.job({ workers: 4, runPolicy: { backoffLimit: 0 } });
      const told = await toldAgain(stage, job);
      expect(told.map(({ type, note }) => [type, note?.includes('exceeded quota')])).toEqual([['Warning', true]]);
      expect(await job.livePods()).toHaveLength(1);
      const { state, restartCount = 0 } = await job.status();
      expect([state, restartCount]).toEqual(['Created', 0]);
      const tries = stage.errors().length;
      expect(tries).toBeLessThan(40);
      await stage.client.patch(QUOTAS, key, { spec: { hard: { pods: '20' } } });
      stage.clock.advance(1_000_000);
      await stage.until(async () => {
        // The quota's new size reaches the API server's admission a moment later.
        stage.clock.advance(1_000_000);
        return (await job.livePods()).length === job.first.length;
      }, 'all pods are made');
      await job.run();
      await stage.countersToBe({ failed: 0 });
    },
  },
  {
    name: 'pods that an admission policy forbids are tried again, and made once it is gone',
    async play(stage) {
      stage.bearsErrors = true;
      const takeBack = await requireLabel(stage, podsNeedLabel('Forbidden'));
      const job = await stage.job();
      const told = await toldAgain(stage, job);
      expect(told.map(({ note }) => note?.includes(`pods need the label ${LABEL}`))).toEqual([true]);
      expect((await job.status()).state).toBe('Created');
      await takeBack();
      await stage.until(async () => {
        stage.clock.advance(1_000_000);
        return (await job.livePods()).length === job.first.length;
      }, 'all pods are made');
    },
  },
  {
    name: "pods that an admission policy calls invalid are InvalidSpec in the policy's words, and a corrected spec recovers",
    async play(stage) {
      await requireLabel(stage, podsNeedLabel('Invalid'));
      const job = await stage.job();
      await job.stateToBe('Failed');
      const failed = await job.condition('Failed');
      expect(failed?.reason).toBe('InvalidSpec');
      expect(failed?.message).toContain(`pods need the label ${LABEL}`);
      await job.change(job.workers, { labels: { [LABEL]: 'yes' } });
      await job.run();
      expect(await job.conditions()).toEqual(['Created=True', 'Running=True']);
    },
  },
  {
    name: 'a template that the API server refuses is InvalidSpec with one event, not tried again, and a corrected spec recovers',
    async play(stage) {
      const { containerName: name } = stage.framework;
      const volumeMounts = [{ name: 'nowhere', mountPath: '/data' }];
      const containers = [{ name, image: 'registry.example/train:1', volumeMounts }];
      const job = await stage.job({ podSpec: { containers } });
      await job.stateToBe('Failed');
      const failed = await job.condition('Failed');
      expect(failed?.reason).toBe('InvalidSpec');
      expect(failed?.message).toContain('nowhere');
      expect(await job.eventToBe('InvalidSpec')).toBe(1);
      const { resourceVersion } = (await job.get()).metadata ?? {};
      stage.clock.advance(3_600_000);
      await stage.settled();
      expect((await job.get()).metadata?.resourceVersion).toBe(resourceVersion);
      await stage.restartOperator();
      await stage.settled();
      expect(await job.events()).toMatchObject({ InvalidSpec: 1 });
      await job.change(job.workers, { podSpec: {} });
      await job.run();
      expect((await job.status()).completionTime).toBeUndefined();
      await job.succeed();
      await stage.countersToBe({ failed: 1 });
    },
  },
  {
    name: 'a status that the API server refuses is told in one event, and is written once it is taken',
    starts: false,
    async play(stage) {
      stage.bearsErrors = true;
      const { group, version, plural } = stage.resource;
      const job = await stage.job();
      await requireLabel(stage, {
        what: 'jobs',
        rule: {
          apiGroups: [group],
          apiVersions: [version],
          operations: ['UPDATE'],
          resources: [`${plural}/status`],
        },
        reason: 'Invalid',
        isMet: () => isLetThrough(() => job.patchStatus({ state: 'Created' }, { dryRun: true })),
      });
      await stage.startOperator();
      await job.eventToBe('FailedUpdateStatus');
      const told = (await stage.eventsAbout(job.name)).filter(({ reason }) => reason === 'FailedUpdateStatus');
      expect(told.map(({ note }) => note?.includes(`jobs need the label ${LABEL}`))).toEqual([true]);
      await job.patch({ metadata: { labels: { [LABEL]: 'yes' } } });
      await job.run();
    },
  },
  {
    name: 'in a namespace that is going nothing is made, and nobody is told or troubled',
    async play(stage) {
      const held = await stage.job({ workers: 2 });
      await held.run();
      await stage.stopOperators();
      await held.deletePod(held.workerPods[1] ?? '');
      // It goes in the middle of the pass that makes the pod anew, between what that counts and the pod: later, the namespace
      // controller may have taken away all reason to make it.
      const going = () => stage.client.delete(NAMESPACES, { name: stage.namespace });
      const proxy = await stage.startOperatorBehindProxy((before) =>
        before.onWrite(1, going, { match: { method: 'PATCH', path: /\/status$/ } }),
      );
      await held.toBeGone(() => held.endTerminating());
      const refused = proxy.writes.filter(({ method, path, code }) => {
        return method === 'POST' && /\/(pods|secrets)$/.test(path) && code === 403;
      });
      expect(refused.length).toBeGreaterThan(0);
      const troubled = stage.log.filter(({ level }) => level === 'error' || level === 'warn');
      expect(troubled).toEqual([]);
    },
  },
];
