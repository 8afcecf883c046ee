const HOUR_MS = 3_600_000;

/** The spans that the plots can show, by their words in the address. */
export const SPANS = {
  days: {
    choice: 'The last 30 days, by day',
    name: 'The last 30 days',
    last: 'On the last day',
    interval: 'day',
    hours: 720,
    stepMs: 24 * HOUR_MS,
    /** The key under which the API sums the interval of this time. */
    keyOf: (time: number) => new Date(time).toISOString().slice(0, 10),
  },
  hours: {
    choice: 'The last 24 hours, by hour',
    name: 'The last 24 hours',
    last: 'In the last hour',
    interval: 'hour',
    hours: 24,
    stepMs: HOUR_MS,
    keyOf: (time: number) => `${new Date(time).toISOString().slice(0, 13)}:00Z`,
  },
} as const;

export type Span = (typeof SPANS)[keyof typeof SPANS];
