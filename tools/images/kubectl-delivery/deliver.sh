#!/bin/sh
# The init container of a launcher that reaches its workers by `kubectl exec`: copies kubectl to the launcher's volume, and
# ends once every worker of the hostfile runs commands. It has no timeout: the job has its limits, and the log repeats the
# reason of the wait. Invalid arguments end it at once.
#
# TARGET_DIR      volume shared with the launcher: gets `kubectl`, and `hosts` with a line "<IP><tab><name>" per worker
# NAMESPACE       of the workers; default: the pod's own
# MAIN_CONTAINER  the workers' container that must run commands; default: their first
set -eu

: "${TARGET_DIR:=/opt/kube}" "${NAMESPACE:=}" "${MAIN_CONTAINER:=}"
HOSTFILE=/etc/mpi/hostfile
# The timeout of a try, and the time between tries. A wait is logged after LONG_SECONDS, and again every REPEAT_SECONDS.
TRY_SECONDS=30 PAUSE_SECONDS=1 LONG_SECONDS=10 REPEAT_SECONDS=60
# The number of workers tried in parallel: each kubectl takes about 50 MB.
AT_ONCE=4

# The only folder that is certainly writable; parallel processes share the discovery cache.
export KUBECACHEDIR="$TARGET_DIR/.cache"

say() { printf '%s kubectl-delivery: %s\n' "$(date -u +%H:%M:%S)" "$*" >&2; }

client() { timeout "$TRY_SECONDS" "$TARGET_DIR/kubectl" ${NAMESPACE:+--namespace "$NAMESPACE"} "$@"; }

# Renamed when complete: the container may be killed and restarted.
deliver_kubectl() {
  mkdir -p "$TARGET_DIR"
  cp /usr/local/bin/kubectl "$TARGET_DIR/.kubectl"
  chmod 0755 "$TARGET_DIR/.kubectl"
  mv -f "$TARGET_DIR/.kubectl" "$TARGET_DIR/kubectl"
}

# The hosts of the file, one a line, in its order, without this pod. Lines are "host slots=2", or "host:2" as MPICH has them.
workers() {
  sed -e 's/#.*//' "$HOSTFILE" | awk '{ sub(/:[0-9]+$/, "", $1) } NF && !seen[$1]++ { print $1 }' |
    grep -vxF -e localhost -e "$(hostname)" || true
}

# insist WHAT COMMAND…: repeats a command until it succeeds, and logs its error if that takes long.
insist() {
  what=$1
  shift
  begun=$(date +%s)
  silent_until=$((begun + LONG_SECONDS))
  until complaint=$("$@" 2>&1); do
    now=$(date +%s)
    if [ "$now" -ge "$silent_until" ]; then
      say "$what for $((now - begun)) s: $(reason "$complaint")"
      silent_until=$((now + REPEAT_SECONDS))
    fi
    sleep "$PAUSE_SECONDS"
  done
}

# The last line of kubectl's output. The Role and its binding are created before the pods, but may take effect a moment later.
reason() {
  last=$(printf '%s\n' "${1:-no answer in $TRY_SECONDS s}" | tail -n 1)
  case $last in
    *Forbidden* | *forbidden*) last="$last (the launcher's ServiceAccount needs get on pods and create on pods/exec)" ;;
  esac
  printf '%s' "$last"
}

# Runs a shell, which mpirun's agent needs as well.
answers() { client exec --quiet "$1" ${MAIN_CONTAINER:+--container "$MAIN_CONTAINER"} -- /bin/sh -c : >/dev/null; }

# A container may run commands a moment before the status has the address of its pod.
addresses() {
  client get pods "$@" --no-headers --output custom-columns=IP:.status.podIP,NAME:.metadata.name \
    >"$TARGET_DIR/.addresses" || return 1
  without=$(awk '$1 == "<none>" { print $2 }' "$TARGET_DIR/.addresses")
  [ -z "$without" ] || { echo "no address yet: $without" && return 1; }
}

# shellcheck disable=SC2086 # names of pods have no spaces
write_hosts() {
  : >"$TARGET_DIR/.addresses"
  [ -z "$1" ] || insist 'reading the addresses of the workers' addresses $1
  awk -v OFS='\t' '{ print $1, $2 }' "$TARGET_DIR/.addresses" >"$TARGET_DIR/.hosts"
  rm "$TARGET_DIR/.addresses"
  mv -f "$TARGET_DIR/.hosts" "$TARGET_DIR/hosts"
}

main() {
  [ -r "$HOSTFILE" ] || { say "$HOSTFILE does not exist: mount the job's ConfigMap at ${HOSTFILE%/*}" && exit 1; }
  deliver_kubectl
  workers=$(workers)
  printf '%s\n' "$workers" | xargs -r -n 1 -P "$AT_ONCE" "$0" await-worker
  write_hosts "$workers"
  rm -rf "$KUBECACHEDIR"
  say "$(printf '%s\n' "$workers" | grep -c . || true) workers run commands"
}

case ${1:-} in
  await-worker) insist "waiting for worker $2" answers "$2" ;;
  '')
    # The first process of a container has no default reaction to signals, and the shell reacts only when it waits.
    trap 'exit 143' TERM INT
    main &
    wait $!
    ;;
  *) say "unknown argument $1" && exit 2 ;;
esac
