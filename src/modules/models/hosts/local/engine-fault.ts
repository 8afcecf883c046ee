/** What the engine cannot do, in words that may be shown. */
export class EngineFault extends Error {
  constructor(
    readonly code: 'ENGINE_MISSING' | 'MODEL_NOT_LOADED' | 'PROMPT_TOO_LONG' | 'SCHEMA_NOT_TAKEN' | 'TOO_MANY_WAIT',
    /** Of what was asked: what the model cannot do, as the middle of a sentence. */
    message: string,
  ) {
    super(message);
  }
}
