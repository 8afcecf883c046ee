import type { z } from 'zod';
import { noteDefinition } from './named-definitions.js';

/** Something that has happened, of which listeners are notified after the commit. */
export interface EventDefinition<Payload extends object = object> {
  readonly name: string;
  readonly payload: z.ZodType<Payload>;
}

/** The payload that a listener of the event receives. */
export type PayloadOf<Event> = Event extends EventDefinition<infer Payload> ? Payload : never;

const definitions: EventDefinition[] = [];

/**
 * Defines an event. The schema's description says when it happens. The payload has ids and states, and neither contents
 * nor secrets. If it has a `projectId`, the jobs of durable listeners belong to this project.
 */
export function defineEvent<Payload extends object>(
  name: string,
  payload: z.ZodType<Payload>,
): EventDefinition<Payload> {
  const definition = { name, payload };
  noteDefinition('event', name);
  definitions.push(definition);
  return definition;
}

/** All events, in the order in which they were defined. */
export function eventDefinitions(): readonly EventDefinition[] {
  return definitions;
}
