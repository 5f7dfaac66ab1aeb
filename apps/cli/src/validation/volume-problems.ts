/** The API server's rules about volumes. */
import * as kubernetes from '@kubernetes/client-node';
import { all, fields, invalid, list, oneOf, present, single, text, within, type Check } from './check.ts';
import { relativePath } from './container-problems.ts';
import { label, subdomain } from './names.ts';
import { quantity } from './resource-problems.ts';

/** The fields of a volume, each a source, but for its name. */
const SOURCES = kubernetes.V1Volume.getAttributeTypeMap().flatMap(({ baseName }) =>
  baseName === 'name' ? [] : [baseName],
);

const mode = within(0, 0o777);

const keys = list(
  fields({
    key: present('name a key'),
    path: all(present('the file for the key'), relativePath),
    mode,
  }),
);

const medium: Check = (value, path) =>
  typeof value !== 'string' || ['', 'Memory', 'HugePages'].includes(value) || value.startsWith('HugePages-')
    ? []
    : [invalid(path, value, 'must be empty, Memory or HugePages')];

const files = (object: string) => fields({ name: present(`name the ${object}`), items: keys });

const FORBIDDEN_ON_HOST = text((path) => !path.split('/').includes('..'), 'must not contain ".."');

export const volume: Check = all(
  // Without a source the API server makes it an emptyDir.
  single(SOURCES, { isRequired: false, what: 'the type of the volume' }),
  fields({
    name: all(present('name the volume'), label),
    emptyDir: fields({ sizeLimit: quantity, medium }),
    hostPath: fields({
      path: all(present('the path on the node'), FORBIDDEN_ON_HOST),
      type: oneOf('DirectoryOrCreate', 'Directory', 'FileOrCreate', 'File', 'Socket', 'CharDevice', 'BlockDevice'),
    }),
    configMap: fields({ name: present('name the ConfigMap'), defaultMode: mode, items: keys }),
    secret: fields({ secretName: present('name the Secret'), defaultMode: mode, items: keys }),
    persistentVolumeClaim: fields({ claimName: present('name the PersistentVolumeClaim') }),
    nfs: fields({ server: present('the host of the NFS server'), path: all(present('the exported path')) }),
    csi: fields({ driver: all(present('name the CSI driver'), subdomain) }),
    downwardAPI: fields({ defaultMode: mode, items: list(fields({ path: all(present('the file'), relativePath) })) }),
    projected: fields({
      defaultMode: mode,
      sources: list(fields({ configMap: files('ConfigMap'), secret: files('Secret') })),
    }),
  }),
);
