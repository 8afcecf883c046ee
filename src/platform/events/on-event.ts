import { type EventDefinition, eventDefinitions } from '../../kernel/events.js';
import { demandDefined } from '../../kernel/named-definitions.js';
import { noteMarked } from '../extension/marked-classes.js';
import { MethodMark } from '../extension/method-mark.js';
import { defineJob, type JobDefinition } from '../queue/job-definition.js';
import { jobMethods } from '../queue/job-method.js';
import type { JobRun } from '../queue/job-run.js';

/** After the twentieth attempt, more than an hour later, the job of a durable listener has failed. */
const ATTEMPTS = 20;
/** A listener that hangs would otherwise hold a slot of its project until the process ends. */
const LONGEST_SECONDS = 300;

interface Listening {
  readonly event: EventDefinition;
  /** Its own name, or the name of the class and of the method. */
  readonly name: string;
  /** The job of a durable listener. */
  readonly job: JobDefinition<object> | null;
}

interface DurableListening {
  durable: true;
  /** A name that no other listener of the event has. Jobs that wait are found by it. */
  name?: string;
}

/** A decorator that compiles only on a method that takes what the listener receives. */
type MethodTaking<Given extends unknown[]> = <Method extends (...given: Given) => unknown>(
  target: object,
  name: string | symbol,
  method: TypedPropertyDescriptor<Method>,
) => void;

export const eventListeners = new MethodMark<Listening>('listen to events');

/**
 * Calls the method of a provider after the commit, in the process that published the event. The call may be lost with
 * the process.
 */
export function OnEvent<Payload extends object>(event: EventDefinition<Payload>): MethodTaking<[Payload]>;
/**
 * Calls the method as a job, which is written in the transaction of the event. It runs at least once, in any process that
 * serves the queue `upkeep`, and again if it throws. `job.finish(effect)` commits an effect together with the end of the
 * job. `name` keeps the name of the job, `Class.method` by default, when the class or the method is renamed.
 */
export function OnEvent<Payload extends object>(
  event: EventDefinition<Payload>,
  options: DurableListening,
): MethodTaking<[Payload, JobRun<Payload>]>;
export function OnEvent(event: EventDefinition, options?: DurableListening): MethodTaking<[never, never]> {
  return (target, method, { value }) => {
    const use = `${target.constructor.name}.${String(method)} listens to an event`;
    demandDefined(use, event, eventDefinitions(), 'defineEvent');
    const name = options?.name ?? `${target.constructor.name}.${String(method)}`;
    const job = options?.durable ? jobOf(event, name) : null;
    noteMarked(target.constructor, `listen to the event ${event.name}`);
    eventListeners.mark(value!, { event, name, job });
    if (job) jobMethods.mark(value!, job);
  };
}

/** Each listener has a job of its own, so that one that fails is tried again by itself. */
function jobOf(event: EventDefinition, listener: string): JobDefinition<object> {
  return defineJob(`events.${event.name}.${listener}`, {
    queue: 'upkeep',
    data: event.payload,
    attempts: ATTEMPTS,
    longestSeconds: LONGEST_SECONDS,
    isKept: false,
  });
}
