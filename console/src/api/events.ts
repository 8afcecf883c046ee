/** Reads server-sent events, which are separated by an empty line. */
export async function* eventsIn(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<{ event: string; data: unknown }> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value = '' } = await reader.read();
    const parts = (rest + value).split('\n\n');
    rest = parts.pop()!;
    for (const part of parts) {
      const event = /^event: ?(.*)$/m.exec(part)?.[1] ?? 'message';
      const data = [...part.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join('\n');
      if (data) yield { event, data: JSON.parse(data) as unknown };
    }
    if (done) return;
  }
}
