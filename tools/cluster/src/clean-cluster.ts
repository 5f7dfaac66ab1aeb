/**
 * Removes everything of a cluster from this machine, in any condition: running, partly started, partly killed, without a readable state
 * file. It removes only what certainly belongs to the cluster: recorded processes that are still the same, processes that carry its marker,
 * and names derived from its state folder.
 */
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stateFolder } from './cache-folders.ts';
import { readClusterState } from './cluster-state.ts';
import { findMarkedProcesses } from './processes/component.ts';
import { stopProcesses } from './processes/stop-processes.ts';
import { cleanNode } from './real/clean-node.ts';

export interface CleanOptions {
  /** Keeps the components' logs; the next `up` or `down` removes them. */
  keepLogs: boolean;
}

export async function cleanCluster(name: string, { keepLogs }: CleanOptions): Promise<void> {
  const folder = stateFolder(name);
  const state = readClusterState(name);
  const recorded = state === undefined || state === 'damaged' ? [] : [...state.components, ...state.nodeInits];
  await stopProcesses(() => [...recorded, ...findMarkedProcesses(folder)]);
  await cleanNode(folder, name);
  if (!existsSync(folder)) return;
  // Removing a node's unpacked images takes seconds: the removal is asynchronous, so that progress is shown and signals are handled.
  for (const entry of readdirSync(folder)) {
    if (!keepLogs || entry !== 'log') await rm(join(folder, entry), { recursive: true, force: true });
  }
  if (!keepLogs) await rm(folder, { recursive: true, force: true });
}
