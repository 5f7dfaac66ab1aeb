/** Real outputs of Paddle's launcher (3.3), with shortened paths. They end with the log of the failed process, a second time. */
import { describe, expect, it } from 'vitest';
import { errorMessage, peerLossOf } from './error-message.ts';
import { namesLostPeer, namesUnreachedPeer } from './peer-loss.ts';

const START = `/usr/lib/python3/paddle/utils/cpp_extension/extension_utils.py:712: UserWarning: No ccache found. Please be aware that recompiling all source files may be required.
  warnings.warn(warning_message)
======================= Modified FLAGS detected =======================
FLAGS(name='FLAGS_enable_pir_in_executor', current_value=True, default_value=False)
=======================================================================
I1126 21:55:25.022409 12779 tcp_utils.cc:109] Retry to connect to 127.0.0.1:54547 while the server is not yet listening.
I1126 21:55:28.044773 12779 tcp_utils.cc:132] Successfully connected to 127.0.0.1:54547
`;

const launched = (
  output: string,
  code: number,
) => `LAUNCH INFO 2026-11-26 21:55:21,674 Watching Pod: pidiwk, replicas 1, status running
${START}${output}LAUNCH INFO 2026-11-26 21:55:29,695 Pod failed
LAUNCH ERROR 2026-11-26 21:55:29,695 Container failed !!!
Container rank 0 status failed cmd ['/usr/bin/python3', '-u', 'train.py'] code ${code} log /tmp/log/workerlog.0
LAUNCH INFO 2026-11-26 21:55:29,695 ------------------------- ERROR LOG DETAIL -------------------------
${START}${output}LAUNCH INFO 2026-11-26 21:55:29,695 Exit code ${code}
`;

const traceback = (error: string) => `Traceback (most recent call last):
  File "train.py", line 8, in <module>
    dist.all_reduce(t)
  File "/usr/lib/python3/paddle/distributed/communication/stream/all_reduce.py", line 51, in _all_reduce_in_dygraph
    task = group.process_group.all_reduce(tensor, op_type, sync_op)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
${error}
`;

const RESET =
  'RuntimeError: [/paddle/third_party/gloo/gloo/transport/tcp/pair.cc:576] Read error [10.0.0.7]:19855: Connection reset by peer';
const TIMEOUT =
  'RuntimeError: [/paddle/third_party/gloo/gloo/transport/tcp/pair.cc:584] TIMEOUT self_rank = 0 pair_rank = 1 peer_str = [10.0.0.7]:9646';

describe("an output of Paddle's launcher", () => {
  it.each([
    [
      'the exception of the program',
      launched(traceback('ValueError: no data in /data'), 1),
      'ValueError: no data in /data',
    ],
    [
      'the exit code, and the last line of the program',
      launched('cannot continue\n', 3),
      "cannot continue (Paddle's launcher: a process failed with exit code 3)",
    ],
    ['the exit code alone', launched('', 3), "Paddle's launcher: a process failed with exit code 3"],
    ['the signal', launched('epoch 3\n', -9), "Paddle's launcher: a process was ended by signal 9"],
    [
      'the exception instead of the signal with which Paddle aborts',
      launched(traceback('ValueError: no data in /data'), -6),
      'ValueError: no data in /data',
    ],
  ])('is shortened to %s', (_what, output, message) => {
    expect(errorMessage(output)).toBe(message);
  });

  it.each([
    ['lost', RESET, [true, false]],
    ['not reached', TIMEOUT, [false, true]],
  ])('shows that a peer was %s', (_what, error, expected) => {
    const output = launched(traceback(error), 1);
    for (const text of [peerLossOf({ message: output }), errorMessage(output) ?? '']) {
      expect([namesLostPeer(text), namesUnreachedPeer(text)]).toEqual(expected);
    }
  });
});
