import { once } from 'node:events';
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** Bundles a page with this script as a developer would, and serves it on an address of its own. */
export async function servePage(script: string) {
  const folder = mkdtempSync(join(process.env.TEST_FOLDER!, 'page-'));
  symlinkSync(PACKAGES, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'page.js'), script);
  writeFileSync(join(folder, 'index.html'), '<title>Page</title><script type="module" src="/page.js"></script>');
  await build({ root: folder, configFile: false, logLevel: 'error' });
  const server = createServer(({ url = '/' }, response) => {
    const [file, type] = url.endsWith('.js') ? [url, 'text/javascript'] : ['index.html', 'text/html'];
    response.setHeader('content-type', type).end(readFileSync(join(folder, 'dist', file)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
}
