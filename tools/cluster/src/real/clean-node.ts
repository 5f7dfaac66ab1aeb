/**
 * Removes the remains of a real node from this machine after its processes have ended: control groups, the link's outer end and folders
 * that were created for it. Names are derived from the state folder, so this works without a state file, and does nothing if there is
 * nothing to remove.
 */
import { existsSync } from 'node:fs';
import { nodeFolders } from '../cluster.ts';
import { runCommand } from '../run-command.ts';
import { hasRealNode, removeControlGroup } from './control-group.ts';
import { machineWideNames } from './node-namespaces.ts';
import { removePrivateFolders } from './private-folders.ts';

export async function cleanNode(folder: string, clusterName: string): Promise<void> {
  // Only root can have created a node, and only root can remove one.
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return;
  for (const each of nodeFolders(folder)) {
    const names = machineWideNames(each, clusterName);
    await removeControlGroup(names.cgroup);
    await removeLink(names.interface);
  }
  if (!hasRealNode()) removePrivateFolders();
}

/**
 * The kernel removes the link with the node's namespace, but later than its processes, or never if the node had not received its end yet.
 */
async function removeLink(link: string): Promise<void> {
  const exists = () => existsSync(`/sys/class/net/${link}`);
  if (!exists()) return;
  try {
    await runCommand('ip', ['link', 'delete', link]);
  } catch (error) {
    if (exists()) throw error;
  }
}
