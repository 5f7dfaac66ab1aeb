import type { ImageDefinition } from '../image-definition.ts';
import { base } from './base.ts';

/**
 * PyTorch 2.6 for CPUs with the gloo back-end and torchrun, as Debian packages it.
 *
 * Debian builds PyTorch without libuv, but TCPStore (the store behind every rendezvous) uses libuv by default. USE_LIBUV=0 changes the
 * default of `init_process_group`; torchrun's c10d rendezvous has no such setting, so the class itself is patched for both. Remove this
 * once Debian's python3-torch is built with libuv.
 *
 * Left out: PyTorch's own tests, the tests of Python packages, and AMD's GPU runtime with its compiler, which only plug-ins of UCX load and
 * no CPU training uses. Byte code stays: without it each pod would compile for seconds.
 */
export const torch: ImageDefinition = {
  name: 'torch',
  version: '2.6',
  parent: base,
  layer: {
    kind: 'packages',
    packages: ['python3-torch'],
    exclude: [
      '/usr/lib/libtorch-test/*',
      '/usr/lib/python3/dist-packages/torch/bin/*[Tt]est*',
      '/usr/lib/python3/dist-packages/torch/bin/tutorial_*',
      '/usr/lib/*/libamd_comgr.so*',
      '/usr/lib/*/libamdhip64.so*',
      '/usr/lib/*/libLLVM*',
      '/usr/lib/*/ucx/*rocm*',
      '*.a',
    ],
    script: `
cat >> /usr/lib/python3/dist-packages/torch/distributed/__init__.py <<'END'


def _never_ask_for_libuv():
    """This build has no libuv: a TCPStore that asks for it cannot be made."""
    from torch._C._distributed_c10d import TCPStore

    original = TCPStore.__init__

    def __init__(self, *args, **kwargs):
        # Positional arguments reach at most to wait_for_workers; use_libuv comes later and is always named.
        kwargs['use_libuv'] = False
        original(self, *args, **kwargs)

    TCPStore.__init__ = __init__


if is_available():
    _never_ask_for_libuv()
END
find /usr/lib/python3/dist-packages -type d -name tests -prune -exec rm -rf {} +
python3 -m compileall -q /usr/lib/python3/dist-packages/torch/distributed/__init__.py
ln -sf python3 /usr/bin/python
USE_LIBUV=0 python3 - <<'END'
import torch.distributed as distributed
distributed.TCPStore('127.0.0.1', 0, 1, True)
assert distributed.is_gloo_available()
END
`,
  },
  defaults: { env: { USE_LIBUV: '0', PYTHONUNBUFFERED: '1' }, command: ['python3'] },
};
