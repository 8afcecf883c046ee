export * from './errors.js';
export * from './place.js';
export { byReference, bySessionId, type SessionIdentity } from './resources/sessions.js';
export { type RunEvent } from './resources/runs.js';
export { Slipway, type SlipwayOptions } from './slipway.js';
export type { CallOptions, OnceOptions } from './transport.js';
