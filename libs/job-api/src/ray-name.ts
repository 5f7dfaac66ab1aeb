/** Which names the kinds of `ray.io` may have: DNS labels that leave room for what is added to them. */
import type { KubeObject } from './kubernetes.ts';
import type { Rule } from './rule.ts';

const DNS_1035_LABEL = '^[a-z]([-a-z0-9]*[a-z0-9])?$';

/**
 * The rules for `metadata.name`. The API server prints no path for them, so the messages name the field. They judge new
 * objects alone: a name from before the rules does not stop later writes of the status or of finalizers.
 */
export function rayNameRules<T extends KubeObject>(what: 'cluster' | 'job', most: number): Rule<T>[] {
  const nameOf = ({ metadata }: T) => metadata?.name ?? '';
  return [
    {
      cel: `oldSelf.hasValue() || self.metadata.name.matches('${DNS_1035_LABEL}')`,
      holds: (self) => nameOf(self) === '' || new RegExp(DNS_1035_LABEL).test(nameOf(self)),
      message:
        'metadata.name must be a DNS label: lower-case letters, digits and "-", starting with a letter and ending with a letter or digit',
      at: ['metadata', 'name'],
      optionalOldSelf: true,
    },
    {
      cel: `oldSelf.hasValue() || self.metadata.name.size() <= ${most}`,
      holds: (self) => nameOf(self).length <= most,
      message: `metadata.name is too long: shorten it to ${most} characters, so that the names of what the ${what} has are DNS labels`,
      at: ['metadata', 'name'],
      optionalOldSelf: true,
    },
  ];
}
