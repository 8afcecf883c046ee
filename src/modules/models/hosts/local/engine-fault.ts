/** What the engine cannot do, in words that may be shown. */
export class EngineFault extends Error {
  constructor(
    readonly code: 'ENGINE_MISSING' | 'MODEL_NOT_LOADED' | 'PROMPT_TOO_LONG' | 'SCHEMA_NOT_TAKEN' | 'TOO_MANY_WAIT',
    message: string,
  ) {
    super(message);
  }
}
