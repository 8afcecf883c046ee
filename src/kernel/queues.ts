/**
 * The kinds of work that a process may serve apart from the others. Their names are also the names of the queues in
 * Redis that wake the workers.
 */
export const QUEUES = ['dock', 'callbacks', 'turns', 'upkeep'] as const;

export type QueueName = (typeof QUEUES)[number];

/** The queues that a process serves, and the number of jobs of each that it may run at a time. */
export type QueueLimits = ReadonlyMap<QueueName, number>;

export const isQueueName = (text: string): text is QueueName => (QUEUES as readonly string[]).includes(text);
