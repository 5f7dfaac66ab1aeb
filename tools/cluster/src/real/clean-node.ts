/**
 * Removes what a real node leaves on this machine once its processes are gone: control groups, the link's outer end and
 * folders that were made for it. Names are derived from the state folder, so this works without a state file as well,
 * and does nothing where there is nothing.
 */
import { existsSync } from 'node:fs';
import { nodeFolders } from '../cluster.ts';
import { runCommand } from '../run-command.ts';
import { hasRealNode, removeControlGroup } from './control-group.ts';
import { machineWideNames } from './node-namespaces.ts';
import { removePrivateFolders } from './private-folders.ts';

export async function cleanNode(folder: string, clusterName: string): Promise<void> {
  // Only root can have made a node, and only root can remove one.
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return;
  for (const each of nodeFolders(folder)) {
    const names = machineWideNames(each, clusterName);
    await removeControlGroup(names.cgroup);
    await removeLink(names.interface);
  }
  if (!hasRealNode()) removePrivateFolders();
}

/** The kernel removes the link with the node's namespace, but later than its processes, or never if the node had no part of it yet. */
async function removeLink(link: string): Promise<void> {
  const exists = () => existsSync(`/sys/class/net/${link}`);
  if (!exists()) return;
  try {
    await runCommand('ip', ['link', 'delete', link]);
  } catch (error) {
    if (exists()) throw error;
  }
}
