import type { Storage } from '../../src/platform/storage/storage.js';

/** Does work while the store writes only the first piece of each content and then fails, as a broken or full disk does. */
export async function whileStorageFails<T>(storage: Storage, code: string, work: () => Promise<T>): Promise<T> {
  const write = storage.write.bind(storage);
  storage.write = (name, content) => write(name, failingAfterFirst(content, code));
  try {
    return await work();
  } finally {
    // Without its own member, the object has the method of its class again.
    Reflect.deleteProperty(storage, 'write');
  }
}

async function* failingAfterFirst(content: AsyncIterable<Buffer>, code: string): AsyncGenerator<Buffer> {
  for await (const piece of content) {
    yield piece;
    throw Object.assign(new Error(`${code}: broken on purpose`), { code });
  }
}
