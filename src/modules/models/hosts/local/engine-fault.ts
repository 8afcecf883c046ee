/** A failure of the engine, with a message that users may see. */
export class EngineFault extends Error {
  constructor(
    readonly code: 'ENGINE_MISSING' | 'MODEL_NOT_LOADED' | 'PROMPT_TOO_LONG' | 'SCHEMA_NOT_TAKEN' | 'TOO_MANY_WAIT',
    /** For `PROMPT_TOO_LONG` and `SCHEMA_NOT_TAKEN`, words that follow "The model". */
    message: string,
  ) {
    super(message);
  }
}
