/** Faults between operators and API server, in the operators' proxies. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, type ProxiedRequest, type RequestMatch, SeededRandom } from '@muster/fault-injection';
import type { FaultPlace } from './fault-place.ts';
import type { FaultName, PlannedFault } from './random-faults.ts';

interface RequestFault {
  readonly meets: (request: ProxiedRequest) => boolean;
  readonly fault: (random: SeededRandom) => Fault;
  /** Watches that are open already. */
  readonly now?: 'cutWatches' | 'stallWatches';
}

const isWrite = ({ method }: ProxiedRequest) => method !== 'GET';
const isWatch = ({ watch }: ProxiedRequest) => watch;
const isShort = (request: ProxiedRequest) => !isWatch(request);

const REQUEST_FAULTS = {
  conflicts: {
    meets: ({ method }) => ['PATCH', 'PUT', 'DELETE'].includes(method),
    fault: () => ({ type: 'answer', code: 409, reason: 'Conflict' }),
  },
  throttling: {
    meets: () => true,
    fault: () => ({ type: 'answer', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 1 }),
  },
  'server-errors': {
    meets: () => true,
    fault: (random) =>
      random.isOneIn(2)
        ? { type: 'answer', code: 500, reason: 'InternalError' }
        : { type: 'answer', code: 503, reason: 'ServiceUnavailable' },
  },
  'slow-requests': { meets: isShort, fault: (random) => ({ type: 'delay', ms: random.whole(100, 5_000) }) },
  'silent-requests': { meets: isShort, fault: () => ({ type: 'stall' }) },
  'lost-answers': { meets: isWrite, fault: () => ({ type: 'loseAnswer' }) },
  'cut-watches': { meets: isWatch, fault: () => ({ type: 'cut', afterEvents: 1, midLine: true }), now: 'cutWatches' },
  'stalled-watches': { meets: () => false, fault: () => ({ type: 'stall' }), now: 'stallWatches' },
  'expired-watches': { meets: isWatch, fault: () => ({ type: 'expire', afterEvents: 1 }), now: 'cutWatches' },
} satisfies Partial<Record<FaultName, RequestFault>>;

type RequestFaultName = keyof typeof REQUEST_FAULTS;

export function isRequestFault(name: FaultName): name is RequestFaultName {
  return Object.hasOwn(REQUEST_FAULTS, name);
}

/** Affects a share of the requests of all operators until its time is over. */
export async function faultOfRequests(
  { replicas }: FaultPlace,
  name: RequestFaultName,
  { forMs, share, pick }: PlannedFault,
): Promise<void> {
  const { meets, fault, now }: RequestFault = REQUEST_FAULTS[name];
  const random = new SeededRandom(Math.floor(pick * 2 ** 31));
  const match: RequestMatch = (request) => meets(request) && random.fraction() < share;
  const removals = replicas.map(({ proxy }) => {
    if (now !== undefined) proxy[now]();
    // The fault of a request is chosen when one matches, so each gets its own.
    return inject(proxy, match, () => fault(random));
  });
  await sleep(forMs);
  for (const remove of removals) remove();
}

function inject(proxy: FaultPlace['replicas'][number]['proxy'], match: RequestMatch, fault: () => Fault): () => void {
  let remove = () => {};
  let isOver = false;
  const arm = () => {
    const removeOne = proxy.inject(
      (request) => {
        if (isOver || typeof match !== 'function' || !match(request)) return false;
        // The next matching request gets another one.
        queueMicrotask(arm);
        return true;
      },
      fault(),
      1,
    );
    remove = removeOne;
  };
  arm();
  return () => {
    isOver = true;
    remove();
  };
}
