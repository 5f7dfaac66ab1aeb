/**
 * Muster's local Kubernetes: real Kubernetes binaries, started on this machine for development, tests and the demo, with simulated nodes
 * (no root) or this machine as a real node. A cluster is identified by its name, survives the process that started it, and leaves nothing
 * behind when it is taken down. It is not meant to store data or to be reachable from a network.
 */
export { BINARIES, type BinaryName, type BinarySource } from './binaries/binary-catalog.ts';
export { ensureBinaries } from './binaries/ensure-binaries.ts';
export { moduleFolder } from './binaries/go-build.ts';
export { KUBERNETES_VERSION, OLDEST_KUBERNETES_VERSION, PREVIOUS_KUBERNETES_VERSION } from './binaries/versions.ts';
export { cacheFolder, kubeconfigPath, stateFolder } from './cache-folders.ts';
export type { Cluster, RealNode } from './cluster.ts';
export { clusterDown, type ClusterDownOptions } from './cluster-down.ts';
export { ClusterError } from './cluster-error.ts';
export { DEFAULT_CLUSTER_NAME, NODE_KINDS, type NodeKind } from './cluster-name.ts';
export { type ClusterStatus, clusterStatus, type ComponentStatus, listClusters } from './cluster-status.ts';
export { clusterUp, type ClusterUpOptions } from './cluster-up.ts';
export { registerClusterCommands } from './commands.ts';
export { withLock } from './folder-lock.ts';
export { InterruptedError, interruptSignal } from './interrupt-signal.ts';
export { linkPrograms } from './link-programs.ts';
export { nativeGangs } from './native-gangs.ts';
export { type Progress, type ProgressStep, silentProgress, terminalProgress } from './progress.ts';
export { type ArchiveFile, dockerArchive, type ImageContent } from './real/docker-archive.ts';
export { keepRunning, restartComponent, signalComponent } from './restart-component.ts';
export { lastLines, runCommand } from './run-command.ts';
export { SIMULATE_AFTER_ANNOTATION, SIMULATE_EXIT_CODE_ANNOTATION, SIMULATE_LABEL } from './simulated/kwok-stages.ts';
export { SIMULATED_NODE_LABEL } from './simulated/simulated-nodes.ts';
export { findProgram } from './system-path.ts';
export { waitUntil } from './wait-until.ts';
