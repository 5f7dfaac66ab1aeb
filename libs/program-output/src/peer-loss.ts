/** Messages of sockets, Gloo, NCCL, MPI, gRPC, JAX, Ray and ssh about a peer that is gone. */
const LOST_PEER =
  /connection (?:was )?(?:reset|closed) by (?:remote )?peer|connection closed by (?:remote )?peer|broken pipe|socket closed|remote process exit(?:ed|ing)|ncclRemoteError|failed to recv, got 0 bytes|closed by remote host|lost communication with a remote daemon|assert \(!closed\) failed|its node has died|JAX distributed service detected fatal errors(?!.*: Deadline Exceeded)|connect with a different incarnation/i;

/** Messages about a peer that never answers: it is gone, or has not started. */
const UNREACHED_PEER =
  /connection refused|failed to connect to all addresses|no route to host|name or service not known|connect(?:ion)? timed out|timed out (?:after|waiting)|pair\.cc:\d+\] TIMEOUT|socket timeout|JAX distributed service detected fatal errors.*: Deadline Exceeded/i;

export function namesLostPeer(text: string): boolean {
  return LOST_PEER.test(text);
}

export function namesUnreachedPeer(text: string): boolean {
  return UNREACHED_PEER.test(text);
}
