/**
 * The program of the submitter. It needs only Python with Ray in the image: no wget, no `ray` on the path, and just
 * enough of a shell to find the Python that has Ray.
 *
 * It waits for the dashboard, submits the job unless Ray has it, follows the log over lost connections, and exits by
 * Ray's result, with 0 for SUCCEEDED. It does not resubmit a job that Ray has lost after it ran.
 *
 * A shell script with `ray job submit` could not distinguish a missing job from a missing dashboard, and two shells
 * would expand the entrypoint. Here Ray gets it unchanged, as in HTTPMode.
 */
import type { RayJobSubmission } from './dashboard.ts';

/** Exit codes. A Job may retry only after `tryAgain`. */
export const SUBMITTER_EXIT = {
  /** The dashboard was away for too long. */
  tryAgain: 1,
  /** The job has FAILED or was STOPPED. */
  notSucceeded: 10,
  /** The job cannot be submitted as it is, or must not be submitted again. */
  refused: 11,
} as const;

/** The program's variables besides Ray's own `RAY_AUTH_TOKEN`. Users' own commands may use those that upstream has. */
export const SUBMITTER_ENV = {
  /** `http://` is the default scheme. */
  address: 'RAY_DASHBOARD_ADDRESS',
  jobId: 'RAY_JOB_SUBMISSION_ID',
  /** The session of Ray for the submission. Default: any. */
  session: 'MUSTER_RAY_SESSION',
  /** How long the dashboard may be away. Default 300. */
  silenceLimitSeconds: 'MUSTER_RAY_SILENCE_LIMIT_SECONDS',
} as const;

/** The first Python with Ray replaces the shell, so that it gets the signals. */
const SHELL = `\
for python in python python3; do
  if command -v "$python" >/dev/null 2>&1 && "$python" -c 'import sys, importlib.util as u
sys.exit(not all(u.find_spec(m) for m in ("ray", "aiohttp", "requests")))'; then
    exec "$python" -u -c "$0" "$1"
  fi
done
echo "This image has no Python with ray[default]: set spec.submitterPodTemplate to a pod with an image that has it." >&2
exit ${SUBMITTER_EXIT.refused}`;

const PROGRAM = `\
import asyncio, functools, json, os, re, signal, sys, time, urllib.error, urllib.request

TRY_AGAIN, NOT_SUCCEEDED, REFUSED = ${SUBMITTER_EXIT.tryAgain}, ${SUBMITTER_EXIT.notSucceeded}, ${SUBMITTER_EXIT.refused}
ADDRESS = os.environ["${SUBMITTER_ENV.address}"].rstrip("/")
if "://" not in ADDRESS:
    ADDRESS = "http://" + ADDRESS
JOB_ID = os.environ["${SUBMITTER_ENV.jobId}"]
SESSION = os.environ.get("${SUBMITTER_ENV.session}", "")
SILENCE_LIMIT = float(os.environ.get("${SUBMITTER_ENV.silenceLimitSeconds}") or 300)
SUBMISSION = json.loads(sys.argv[1])
# Ray's client prefers these to its argument.
for name in ("RAY_ADDRESS", "RAY_API_SERVER_ADDRESS"):
    os.environ.pop(name, None)
sys.stdout.reconfigure(errors="replace")


def say(text):
    print(text, flush=True)


def end(code, text):
    say(text)
    try:
        with open("/dev/termination-log", "w") as log:
            log.write(text[-4000:])
    except OSError:
        pass
    # Threads that wait for an answer would block a normal exit.
    os._exit(code)


class Silent(Exception):
    pass


def token():
    if os.environ.get("RAY_AUTH_TOKEN"):
        return os.environ["RAY_AUTH_TOKEN"].strip()
    try:
        with open(os.environ.get("RAY_AUTH_TOKEN_PATH", "")) as file:
            return file.read().strip()
    except OSError:
        return ""


def ask(path):
    """The dashboard's answer in JSON. None for 404."""
    request = urllib.request.Request(ADDRESS + path)
    if token():
        request.add_header("Authorization", "Bearer " + token())
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        text = error.read().decode(errors="replace")[-500:]
        if error.code in (401, 403):
            end(REFUSED, "Ray's dashboard at %s answers %d: it requires a token in RAY_AUTH_TOKEN. See authOptions of the "
                         "cluster. Its answer: %s" % (ADDRESS, error.code, text))
        if error.code == 404:
            return None
        raise Silent("it answers %d: %s" % (error.code, text))
    except (OSError, ValueError) as error:
        raise Silent(str(error) or type(error).__name__)


class SilenceTimer:
    """Measures how long the dashboard does not answer, reports it every 10 s, and ends the program after SILENCE_LIMIT."""

    def __init__(self, what):
        self.what, self.since, self.reported = what, None, None

    def answered(self):
        self.since = None

    def silent(self, why):
        now = time.monotonic()
        if self.since is None:
            self.since, self.reported = now, None
        if now - self.since >= SILENCE_LIMIT:
            end(TRY_AGAIN, "%s at %s did not answer for %d s: %s" % (self.what, ADDRESS, SILENCE_LIMIT, why))
        if self.reported is None or now - self.reported >= 10:
            self.reported = now
            say("Waiting for %s at %s (%d s): %s" % (self.what, ADDRESS, now - self.since, why))


def wait_for_session():
    silence = SilenceTimer("Ray's dashboard")
    while True:
        try:
            version = ask("/api/version")
            if version is not None:
                return version.get("session_name", "")
            silence.silent("it does not serve jobs")
        except Silent as why:
            silence.silent(why)
        time.sleep(2)


def job():
    return ask("/api/jobs/" + JOB_ID)


def known_job():
    """The job. None if Ray has no job with its id."""
    silence = SilenceTimer("Ray's dashboard")
    while True:
        try:
            return job()
        except Silent as why:
            silence.silent(why)
        time.sleep(2)


def submit():
    import requests
    from ray.job_submission import JobSubmissionClient

    # Ray's client sets no timeout.
    requests.request = functools.partial(requests.request, timeout=(10, 120))
    for pause in (2, 4, 8, 16, 0):
        try:
            JobSubmissionClient(ADDRESS).submit_job(submission_id=JOB_ID, **SUBMISSION)
            return say("Job '%s' has been submitted to %s." % (JOB_ID, ADDRESS))
        except Exception as error:
            problem = error
        # Ray may have accepted it nevertheless.
        if known_job() is not None:
            return say("Job '%s' is at %s." % (JOB_ID, ADDRESS))
        is_answer = not isinstance(problem, requests.RequestException)
        if is_answer and (isinstance(problem, (TypeError, ValueError)) or re.search("status code 4(00|22)", str(problem))):
            end(REFUSED, "Ray refuses job '%s': %s" % (JOB_ID, problem))
        say("Job '%s' could not be submitted: %s" % (JOB_ID, problem))
        time.sleep(pause)
    end(TRY_AGAIN, "Job '%s' could not be submitted to %s: %s" % (JOB_ID, ADDRESS, problem))


def forgotten():
    end(REFUSED, "Ray no longer has job '%s', because its head was restarted: without GCS fault tolerance Ray loses its "
                 "jobs with the head. It is not submitted again." % JOB_ID)


def end_without_driver(info):
    """After the loss of a head, Ray reports a job whose entrypoint ran there as RUNNING forever."""
    node = info.get("driver_node_id")
    if not node:
        return
    found = ask("/api/v0/nodes?filter_keys=node_id&filter_predicates=%3D&filter_values=" + node) or {}
    nodes = ((found.get("data") or {}).get("result") or {}).get("result") or []
    if nodes and nodes[0].get("state") == "DEAD":
        end(REFUSED, "The node on which the entrypoint of job '%s' ran is gone, and the entrypoint with it." % JOB_ID)


def ended(status):
    return status in ("SUCCEEDED", "FAILED", "STOPPED")


async def in_thread(call):
    return await asyncio.get_running_loop().run_in_executor(None, call)


is_log_broken = False


async def follow_log():
    global is_log_broken
    from ray.job_submission import JobSubmissionClient

    printed, reported = 0, False
    while True:
        seen = 0
        try:
            client = await in_thread(lambda: JobSubmissionClient(ADDRESS))
            async for text in client.tail_job_logs(JOB_ID):
                # Ray sends the log from its beginning each time.
                new = text[max(0, printed - seen):]
                seen += len(text)
                is_log_broken = False
                printed = max(printed, seen)
                if new:
                    sys.stdout.write(new)
                    sys.stdout.flush()
            if ended((await in_thread(job) or {}).get("status")):
                return
        except Exception as error:
            if not reported:
                say("The log cannot be followed and is retried: %s" % error)
            reported = is_log_broken = True
        await asyncio.sleep(2)


async def watch():
    follower = asyncio.ensure_future(follow_log())
    silence, unknown = SilenceTimer("Ray's dashboard"), 0
    while True:
        try:
            info = await in_thread(job)
            silence.answered()
            unknown = unknown + 1 if info is None else 0
            if unknown >= 3:
                forgotten()
            if info is not None and ended(info["status"]):
                break
            if info is not None and is_log_broken:
                await in_thread(lambda: end_without_driver(info))
        except Silent as why:
            silence.silent(why)
        await asyncio.wait({follower}, timeout=3) if not follower.done() else await asyncio.sleep(3)
    await asyncio.wait({follower}, timeout=60)
    code = 0 if info["status"] == "SUCCEEDED" else NOT_SUCCEEDED
    # The end of the log, which Ray adds, has just been written.
    message = (info.get("message") or "no message").split(", last available logs")[0]
    end(code, "Job '%s' %s: %s" % (JOB_ID, info["status"], message))


signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
session = wait_for_session()
if known_job() is not None:
    say("Job '%s' is already at %s, and is followed." % (JOB_ID, ADDRESS))
elif SESSION not in ("", session):
    forgotten()
else:
    submit()
asyncio.run(watch())
`;

/** `sh -c <shell> <program> <job>`. */
export function submitCommand(submission: RayJobSubmission): { readonly command: string[]; readonly args: string[] } {
  const { submission_id: _id, ...fields } = submission;
  // Kubernetes expands `$(VARIABLE)` and `$$` in arguments.
  const job = JSON.stringify(fields).replaceAll('$', '\\u0024');
  return { command: ['/bin/sh', '-c', SHELL], args: [PROGRAM, job] };
}
