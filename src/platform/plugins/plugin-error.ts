/** A configuration or a plugin that the service cannot start with. Operators read the message instead of a stack. */
export class PluginError extends Error {}
