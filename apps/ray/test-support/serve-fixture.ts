/** A RayService on a real node: requests to its serve Service, and its state. */
import { RAY_SERVICES, SERVICES, type RayService } from '@muster/job-api';
import { eventually, TRAINING_TIMEOUT_MS } from '@muster/testing';
import type { RayFixture } from './ray-fixture.ts';
import { post, type HttpReply } from './steady-load.ts';

const LIMIT_MS = TRAINING_TIMEOUT_MS / 4;

export class ServeFixture {
  readonly #fixture: RayFixture;
  readonly name: string;

  constructor(fixture: RayFixture, name: string) {
    this.#fixture = fixture;
    this.name = name;
  }

  async get(): Promise<RayService> {
    return this.#fixture.client.get(RAY_SERVICES, { namespace: this.#fixture.namespace, name: this.name });
  }

  toBe(holds: (service: RayService) => boolean): Promise<RayService> {
    return this.#fixture.serviceToBe(this.name, holds);
  }

  toBeReady(): Promise<RayService> {
    return this.toBe((service) => conditionOf(service, 'Ready')?.status === 'True');
  }

  async change(spec: object): Promise<void> {
    const { namespace } = this.#fixture;
    await this.#fixture.client.patch(RAY_SERVICES, { namespace, name: this.name }, { spec });
  }

  /** The address of the serve Service in the cluster, which this machine reaches as its node. */
  async url(path: string): Promise<string> {
    const { namespace } = this.#fixture;
    const service = await this.#fixture.client.get(SERVICES, { namespace, name: `${this.name}-serve-svc` });
    return `http://${service.spec?.clusterIP}:8000${path}`;
  }

  /** Waits until a request is answered like that. */
  async toAnswer(path: string, body: unknown, expected: HttpReply): Promise<void> {
    let seen: unknown;
    const url = await this.url(path);
    await eventually(
      async () => {
        seen = await post(url, body).catch(String);
        return JSON.stringify(seen) === JSON.stringify(expected);
      },
      {
        withinMs: LIMIT_MS,
        describe: async () => ({ url, seen, expected, status: (await this.get()).status }),
      },
    );
  }
}

export function conditionOf({ status }: RayService, type: string) {
  return status?.conditions?.find((each) => each.type === type);
}

export function activeCluster({ status }: RayService): string {
  return status?.activeServiceStatus?.rayClusterName ?? '';
}

export function pendingCluster({ status }: RayService): string {
  return status?.pendingServiceStatus?.rayClusterName ?? '';
}
