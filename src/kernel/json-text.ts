/** A JSON value, as a value or as its text; the other form is made on first use. `undefined` becomes null. */
export class JsonText {
  private constructor(
    private knownText: string | undefined,
    private knownValue: { readonly is: unknown } | undefined,
  ) {}

  static of(value: unknown): JsonText {
    return new JsonText(undefined, { is: value ?? null });
  }

  /** Takes a text that is known to be JSON. */
  static parsed(text: string): JsonText {
    return new JsonText(text, undefined);
  }

  get text(): string {
    return (this.knownText ??= JSON.stringify(this.knownValue!.is));
  }

  get value(): unknown {
    this.knownValue ??= { is: JSON.parse(this.knownText!) as unknown };
    return this.knownValue.is;
  }

  /** Whether the value is known already, or can be parsed in a moment. */
  isShort(characters: number): boolean {
    return this.knownValue !== undefined || this.knownText!.length <= characters;
  }
}
