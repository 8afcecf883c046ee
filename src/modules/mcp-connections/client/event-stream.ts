/** Yields the data of each event of a stream, as it arrives. The response limits how much that may be. */
export async function* eventsIn(response: Response): AsyncGenerator<string> {
  let rest = '';
  let data: string[] = [];
  const texts = response.body!.pipeThrough(new TextDecoderStream());
  for await (const text of texts) {
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop()!;
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield data.join('\n');
        data = [];
      } else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
    }
  }
}
