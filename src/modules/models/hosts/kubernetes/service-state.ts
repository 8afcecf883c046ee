import { z } from 'zod';
import { shortened } from '../../../../kernel/shortened.js';
import type { FleetState } from '../fleet-host.js';
import type { Condition, FailureInfo, InferenceService, ModelState } from './kserve.js';

const LONGEST_REASON = 300;
/** The exit code of a container that the system killed, mostly because it needed more memory than it asked for. */
const KILLED = 137;

/** How far a start is. Replicas start at 60, as they do on the local host. */
const PERCENTAGES: Partial<Record<ModelState, number>> = { Pending: 10, Standby: 30, Loading: 60, Loaded: 90 };

/**
 * The reason with which Knative ends a start. In the standard mode KServe reports whether the Deployment has replicas
 * that are ready, but not that it has ceased to wait for them.
 */
const FINAL_REASON = 'RevisionFailed';

/** The message with which a replica in a container ends. */
const Ended = z.object({ code: z.string().regex(/^[A-Z_]{1,64}$/), message: z.string() });

/**
 * Returns how far an InferenceService is.
 * @param isInCluster whether this process reaches addresses that are known only in the cluster
 */
export function stateOf({ metadata, status }: InferenceService, token: string, isInCluster: boolean): FleetState {
  if (metadata.deletionTimestamp) return pending('Pending', 'The InferenceService is being deleted.');
  // Its observedGeneration is that of an object which KServe makes, so it does not say how old the status is.
  if (!status) return pending('Pending');
  const conditions = new Map((status.conditions ?? []).map((condition) => [condition.type, condition]));
  const ready = conditions.get('Ready');
  const address = isInCluster ? (status.address?.url ?? status.url) : (status.url ?? status.address?.url);
  if (ready?.status === 'True' && address) return { is: 'ready', address: address.replace(/\/+$/, ''), token };
  const { transitionStatus, states, lastFailureInfo } = status.modelStatus ?? {};
  if (transitionStatus === 'InvalidSpec') return invalid(lastFailureInfo);
  if (transitionStatus === 'BlockedByFailedLoad') return notLoaded(lastFailureInfo);
  if (conditions.get('Stopped')?.status === 'True') return pending('Pending', 'The InferenceService was stopped.');
  const final = [...conditions.values()].find(isFinal);
  if (final) return { is: 'failed', code: 'REPLICA_DIED', message: `The cluster did not start it: ${wordsOf(final)}` };
  const state = states?.targetModelState || states?.activeModelState || 'Pending';
  if (ready?.status !== 'False') return pending(state);
  // The others are false because the predictor is.
  const causes = [conditions.get('PredictorReady'), ...conditions.values()];
  return pending(state, wordsOf(causes.find((cause) => cause?.status === 'False' && cause.type !== 'Ready') ?? ready));
}

function pending(state: ModelState, down?: string): FleetState {
  return { is: 'pending', percentage: PERCENTAGES[state] ?? 10, ...(down !== undefined && { down }) };
}

function isFinal({ status, reason }: Condition): boolean {
  return status === 'False' && reason === FINAL_REASON;
}

function wordsOf({ type, reason, message }: Condition): string {
  return shortened([`${type} is false`, reason, message].filter(Boolean).join(': '), LONGEST_REASON);
}

function invalid({ reason, message }: FailureInfo = {}): FleetState {
  const words = shortened([reason, message].filter(Boolean).join(': ') || 'without a reason', LONGEST_REASON);
  return { is: 'failed', code: 'NO_MODEL_HOST', message: `KServe refuses the InferenceService: ${words}` };
}

function notLoaded({ message, reason, exitCode }: FailureInfo = {}): FleetState {
  const ended = endOf(message);
  if (ended) return { is: 'failed', ...ended };
  const died = (how: string) => ({ is: 'failed' as const, code: 'REPLICA_DIED', message: `The replica died: ${how}` });
  if (exitCode === KILLED) return died('it was killed, mostly because it needs more memory than its device type has.');
  const why = [reason, message].filter(Boolean).join(': ') || 'without a reason';
  return died(shortened(`exit code ${exitCode ?? 'unknown'}, ${why}`, LONGEST_REASON));
}

function endOf(message: string | undefined): { code: string; message: string } | undefined {
  try {
    const { code, message: words } = Ended.parse(JSON.parse(message ?? ''));
    return { code, message: shortened(words, LONGEST_REASON * 2) };
  } catch {
    return undefined;
  }
}
