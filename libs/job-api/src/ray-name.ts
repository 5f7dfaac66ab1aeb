/** Validates names of `ray.io` objects: DNS labels that leave room for suffixes. */
import type { KubeObject } from './kubernetes.ts';
import type { Rule } from './rule.ts';

const DNS_1035_LABEL = '^[a-z]([-a-z0-9]*[a-z0-9])?$';

/**
 * Rules for `metadata.name`. The API server prints no path for them, so the messages name the field. They apply only
 * to new objects: an object stored before the rules can still be updated.
 */
export function rayNameRules<T extends KubeObject>(what: 'cluster' | 'job' | 'service', most: number): Rule<T>[] {
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
      message: `metadata.name is too long: shorten it to ${most} characters, so that the names of objects of the ${what} are DNS labels`,
      at: ['metadata', 'name'],
      optionalOldSelf: true,
    },
  ];
}
