/** The kinds of the load. */
import type { CampaignKind } from './kinds.ts';
import { RAY_KINDS } from './ray-kinds.ts';
import { TRAINING_KINDS } from './training-kinds.ts';
import { VOLCANO_KINDS } from './volcano-kinds.ts';

export const CAMPAIGN_KINDS: readonly CampaignKind[] = [...TRAINING_KINDS, ...RAY_KINDS, ...VOLCANO_KINDS];

/** Names that select kinds: frameworks, kinds such as `RayJob`, and `volcano`. */
export function isKindName(name: string): boolean {
  return CAMPAIGN_KINDS.some((kind) => isSelected(kind, [name]));
}

export function isSelected({ framework, resource }: CampaignKind, names: readonly string[]): boolean {
  const isVolcano = resource.group === 'batch.volcano.sh';
  return names.some((name) => name === framework || (name === 'volcano' ? isVolcano : name === resource.kind));
}
