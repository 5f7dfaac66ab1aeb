/** Finds the error in the last output of a program. Pure functions. */
export { errorMessage, errorOf, peerLossOf, type LastOutput } from './error-message.ts';
export { namesLostPeer, namesUnreachedPeer } from './peer-loss.ts';
