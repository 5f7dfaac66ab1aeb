/**
 * Carries out a Plan write by write for one {@link plainAdapter} job, and can stop in between as if the operator was
 * killed. Runs only share what was written, so lost and double counts show.
 */
import { ANNOTATIONS, LABELS, type JobStatus, type Pod } from '@muster/job-api';
import type { WriteOf } from '../src/model/write.ts';
import type { Planned } from './planned.ts';
import { RESTARTER } from '../src/pods/in-place.ts';
import type { PlainPod } from './plain-pod.ts';
import { namesOf, plainService, planOf, type PlainWorld } from './plain-world.ts';

type LivePod = PlainPod & { readonly name: string; readonly role: string; readonly index: number };

export class PureCluster {
  job: PlainWorld;
  isJobGone = false;
  pods = new Map<string, LivePod>();
  #services = new Set<string>();
  #made = 0;

  constructor(job: PlainWorld) {
    this.job = { now: 0, ...job };
  }

  get status(): JobStatus {
    return this.job.status ?? {};
  }

  get now(): number {
    return this.job.now ?? 0;
  }

  world(): PlainWorld {
    return { ...this.job, pods: [...this.pods.values()], services: [...this.#services].map(plainService) };
  }

  alive(): LivePod[] {
    return [...this.pods.values()].filter(
      ({ deleted, phase }) => deleted === undefined && (phase === 'Pending' || phase === 'Running'),
    );
  }

  change(pod: LivePod, change: Partial<PlainPod>): void {
    this.pods.set(pod.name, { ...pod, ...change });
  }

  /** The operator is killed after this number of writes. Returns the plan. */
  pass(writes = Infinity): Planned {
    const plan = planOf(this.world());
    for (const write of this.#writesOf(plan).slice(0, writes)) write();
    return plan;
  }

  /** Runs until there is nothing to write at the current time. */
  settle(): void {
    for (let passes = 0; passes < 10; passes++) {
      if (this.isJobGone || this.#writesOf(this.pass()).length === 0) return;
    }
    throw new Error(`does not settle: ${JSON.stringify({ world: this.world(), plan: planOf(this.world()) })}`);
  }

  #writesOf(plan: Planned): (() => void)[] {
    const { status, adopt, remove, create, annotate, deleteJob } = plan;
    return [
      ...(status === undefined ? [] : [() => (this.job = { ...this.job, status })]),
      ...namesOf(adopt.pods).map((name) => () => this.#adopt(name)),
      ...namesOf(remove.pods).map((name) => () => this.#remove(name)),
      ...namesOf(remove.services).map((name) => () => this.#services.delete(name)),
      ...namesOf(create.services).map((name) => () => this.#services.add(name)),
      ...create.pods.map((pod) => () => this.#create(pod)),
      ...annotate.map((operation) => () => this.#annotate(operation)),
      ...(deleteJob ? [() => (this.isJobGone = true)] : []),
    ];
  }

  #adopt(name: string): void {
    const pod = this.pods.get(name);
    if (pod?.owner !== 'none') throw new Error(`${name} does not exist or has an owner: it cannot be adopted`);
    const { owner: _owner, ...own } = pod;
    this.pods.set(name, own);
  }

  #remove(name: string): void {
    const pod = this.pods.get(name);
    if (pod === undefined || pod.deleted !== undefined) throw new Error(`${name} does not exist: it cannot be deleted`);
    this.change(pod, { deleted: this.now });
  }

  #annotate({ object, annotations, labels }: WriteOf<'annotate'>): void {
    const pod = this.pods.get(object.metadata?.name ?? '');
    if (pod === undefined) throw new Error(`${object.metadata?.name} does not exist: it cannot be annotated`);
    const note = annotations[ANNOTATIONS.inPlace];
    const attempt = labels?.[LABELS.attempt];
    this.change(pod, {
      ...(note !== undefined && { restarter: note }),
      ...(attempt !== undefined && { attempt: Number(attempt) }),
    });
  }

  #create({ metadata, spec }: Pod): void {
    const { name = '', labels = {}, annotations = {} } = metadata ?? {};
    const failures = annotations[ANNOTATIONS.failures];
    const attempt = labels[LABELS.attempt];
    const role = labels[LABELS.replicaType] ?? '';
    const met = [...this.pods.values()].filter(
      (pod) => this.#isOutdated(pod) && (this.status.attempt || pod.role === role),
    );
    if (met.length > 0) throw new Error(`${name} meets ${met.map((pod) => pod.name).join()} of an earlier attempt`);
    if (this.pods.has(name)) throw new Error(`${name} already exists: it cannot be created`);
    this.#made++;
    this.pods.set(name, {
      name,
      role,
      index: Number(labels[LABELS.replicaIndex]),
      uid: `uid-${this.#made}`,
      ...(failures !== undefined && { failures: Number(failures) }),
      ...(attempt !== undefined && { attempt: Number(attempt) }),
      ...(spec?.containers.some(({ name: container }) => container === RESTARTER) && { restarter: true as const }),
      phase: 'Pending',
      created: this.now,
      restartPolicy: spec?.restartPolicy as 'Always' | 'OnFailure' | 'Never',
    });
  }
  #isOutdated({ role, attempt = 0 }: LivePod): boolean {
    const { attempt: ofJob = 0, replicaStatuses = {} } = this.status;
    const [, own] = Object.entries(replicaStatuses).find(([name]) => name.toLowerCase() === role) ?? [];
    return attempt < ofJob + (own?.attempt ?? 0);
  }
}
