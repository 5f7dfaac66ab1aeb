/** The build, and what prom-client exports for every Node.js process (`collectDefaultMetrics`). */
import type { MetricSet } from '../declaration.ts';

export const BUILD = {
  info: {
    type: 'gauge',
    name: 'muster_build_info',
    labels: ['version', 'framework'],
    help: 'Always 1. The labels are the version and the framework of the operator.',
    unit: 'info',
  },
} as const satisfies MetricSet;

const LAG = { type: 'gauge', labels: [], unit: 'seconds' } as const;
const ACTIVE = { type: 'gauge', unit: 'count' } as const;
const ON_LINUX = 'The operator runs on Linux.';

export const PROCESS = {
  cpuUser: {
    type: 'counter',
    name: 'process_cpu_user_seconds_total',
    labels: [],
    help: 'Total user CPU time spent in seconds.',
    unit: 'seconds',
  },
  cpuSystem: {
    type: 'counter',
    name: 'process_cpu_system_seconds_total',
    labels: [],
    help: 'Total system CPU time spent in seconds.',
    unit: 'seconds',
  },
  cpu: {
    type: 'counter',
    name: 'process_cpu_seconds_total',
    labels: [],
    help: 'Total user and system CPU time spent in seconds.',
    unit: 'seconds',
  },
  startTime: {
    type: 'gauge',
    name: 'process_start_time_seconds',
    labels: [],
    help: 'Start time of the process since unix epoch in seconds.',
    unit: 'timestamp',
  },
  residentMemory: {
    type: 'gauge',
    name: 'process_resident_memory_bytes',
    labels: [],
    help: 'Resident memory size in bytes.',
    unit: 'bytes',
  },
  virtualMemory: {
    type: 'gauge',
    name: 'process_virtual_memory_bytes',
    labels: [],
    help: 'Virtual memory size in bytes.',
    unit: 'bytes',
    appears: ON_LINUX,
  },
  heap: {
    type: 'gauge',
    name: 'process_heap_bytes',
    labels: [],
    help: 'Process heap size in bytes.',
    unit: 'bytes',
    appears: ON_LINUX,
  },
  openFiles: {
    type: 'gauge',
    name: 'process_open_fds',
    labels: [],
    help: 'Number of open file descriptors.',
    unit: 'count',
    appears: ON_LINUX,
  },
  maxFiles: {
    type: 'gauge',
    name: 'process_max_fds',
    labels: [],
    help: 'Maximum number of open file descriptors.',
    unit: 'count',
    appears: ON_LINUX,
  },
  eventLoopLag: { ...LAG, name: 'nodejs_eventloop_lag_seconds', help: 'Lag of event loop in seconds.' },
  eventLoopLagMin: {
    ...LAG,
    name: 'nodejs_eventloop_lag_min_seconds',
    help: 'The minimum recorded event loop delay.',
  },
  eventLoopLagMax: {
    ...LAG,
    name: 'nodejs_eventloop_lag_max_seconds',
    help: 'The maximum recorded event loop delay.',
  },
  eventLoopLagMean: {
    ...LAG,
    name: 'nodejs_eventloop_lag_mean_seconds',
    help: 'The mean of the recorded event loop delays.',
  },
  eventLoopLagStddev: {
    ...LAG,
    name: 'nodejs_eventloop_lag_stddev_seconds',
    help: 'The standard deviation of the recorded event loop delays.',
  },
  eventLoopLagP50: {
    ...LAG,
    name: 'nodejs_eventloop_lag_p50_seconds',
    help: 'The 50th percentile of the recorded event loop delays.',
  },
  eventLoopLagP90: {
    ...LAG,
    name: 'nodejs_eventloop_lag_p90_seconds',
    help: 'The 90th percentile of the recorded event loop delays.',
  },
  eventLoopLagP99: {
    ...LAG,
    name: 'nodejs_eventloop_lag_p99_seconds',
    help: 'The 99th percentile of the recorded event loop delays.',
  },
  resources: {
    ...ACTIVE,
    name: 'nodejs_active_resources',
    labels: ['type'],
    help: 'Number of active resources that are currently keeping the event loop alive, grouped by async resource type.',
  },
  handles: {
    ...ACTIVE,
    name: 'nodejs_active_handles',
    labels: ['type'],
    help: 'Number of active libuv handles grouped by handle type. Every handle type is C++ class name.',
  },
  requests: {
    ...ACTIVE,
    name: 'nodejs_active_requests',
    labels: ['type'],
    help: 'Number of active libuv requests grouped by request type. Every request type is C++ class name.',
    appears: 'Such a request is in progress.',
  },
  heapSizeTotal: {
    type: 'gauge',
    name: 'nodejs_heap_size_total_bytes',
    labels: [],
    help: 'Process heap size from Node.js in bytes.',
    unit: 'bytes',
  },
  heapSizeUsed: {
    type: 'gauge',
    name: 'nodejs_heap_size_used_bytes',
    labels: [],
    help: 'Process heap size used from Node.js in bytes.',
    unit: 'bytes',
  },
  externalMemory: {
    type: 'gauge',
    name: 'nodejs_external_memory_bytes',
    labels: [],
    help: 'Node.js external memory size in bytes.',
    unit: 'bytes',
  },
  heapSpaceTotal: {
    type: 'gauge',
    name: 'nodejs_heap_space_size_total_bytes',
    labels: ['space'],
    help: 'Process heap space size total from Node.js in bytes.',
    unit: 'bytes',
  },
  heapSpaceUsed: {
    type: 'gauge',
    name: 'nodejs_heap_space_size_used_bytes',
    labels: ['space'],
    help: 'Process heap space size used from Node.js in bytes.',
    unit: 'bytes',
  },
  heapSpaceAvailable: {
    type: 'gauge',
    name: 'nodejs_heap_space_size_available_bytes',
    labels: ['space'],
    help: 'Process heap space size available from Node.js in bytes.',
    unit: 'bytes',
  },
  nodeVersion: {
    type: 'gauge',
    name: 'nodejs_version_info',
    labels: ['version', 'major', 'minor', 'patch'],
    help: 'Node.js version info.',
    unit: 'info',
  },
  garbageCollection: {
    type: 'histogram',
    name: 'nodejs_gc_duration_seconds',
    labels: ['kind'],
    help: 'Garbage collection duration by kind, one of major, minor, incremental or weakcb.',
    unit: 'seconds',
    buckets: [0.001, 0.01, 0.1, 1, 2, 5],
    values: {
      kind: {
        major: 'Collection of the whole heap.',
        minor: 'Collection of young objects.',
        incremental: 'Step of incremental marking.',
        weakcb: 'Processing of weak callbacks.',
      },
    },
    appears: 'A garbage collection has run.',
  },
} as const satisfies MetricSet;

/**
 * Not exported: gauges of prom-client with names of counters, which `promtool check metrics` rejects. Each is the sum of a metric above.
 */
export const LEFT_OUT = [
  'nodejs_active_resources_total',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
] as const;
