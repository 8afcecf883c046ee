const TEXT_OID = 25;

/**
 * Texts for a parameter of the type `text[]`, in the binary format of PostgreSQL. The driver would escape each text, and
 * nothing else runs meanwhile: 0.3 seconds for a text of 19 MB. It calls `toPostgres` when it sends the statement.
 */
export class TextArray {
  constructor(private readonly texts: readonly string[]) {}

  toPostgres(): Buffer {
    const { texts } = this;
    const lengths = texts.map((text) => Buffer.byteLength(text));
    // An array without elements has no dimension.
    const header = texts.length === 0 ? [0, 0, TEXT_OID] : [1, 0, TEXT_OID, texts.length, 1];
    const buffer = Buffer.allocUnsafe(4 * header.length + lengths.reduce((sum, length) => sum + 4 + length, 0));
    let at = 0;
    const writeInt = (value: number) => (at = buffer.writeInt32BE(value, at));
    header.forEach(writeInt);
    texts.forEach((text, index) => {
      writeInt(lengths[index]!);
      at += buffer.write(text, at);
    });
    return buffer;
  }
}
