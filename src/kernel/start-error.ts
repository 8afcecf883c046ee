/** The service cannot start as it is configured. Operators read the message, which says everything, instead of a stack. */
export class StartError extends Error {}
