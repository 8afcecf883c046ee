/** The form of the ids that Slipway gives to sessions and traces, and that of traces which programs send by OpenTelemetry. */
const KEPT = /^(?:[st]-[0-9A-Za-z]{22}|[0-9a-f]{32})$/;

/**
 * Whether a session or a trace with the id can be kept here. Programs report calls with ids of their own, which lead to
 * nothing.
 */
export function canBeKept(id: string): boolean {
  return KEPT.test(id);
}
