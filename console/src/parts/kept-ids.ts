/** The form of the ids that Slipway gives, and that of traces which programs send by OpenTelemetry. */
const KEPT = /^(?:[a-z]+-[0-9A-Za-z]{22}|[0-9a-f]{32})$/;

/** Whether something with the id can be kept here. Programs report calls with ids of their own, which lead to nothing. */
export function canBeKept(id: string): boolean {
  return KEPT.test(id);
}
