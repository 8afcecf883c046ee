import { build } from 'vite';
import { keepBudget } from './console-budget.mjs';
import { inProject } from './project.mjs';

// Bundles the console into dist/console. Its types are checked by `npm run lint`, for which build-client.mjs writes those
// of the API.

const output = inProject('dist', 'console');

// Jest names another one, with which Vite would build for development.
process.env.NODE_ENV = 'production';
await bundle();
keepBudget(output);

async function bundle() {
  await build({
    root: inProject('console'),
    base: '/console/',
    configFile: false,
    logLevel: 'warn',
    // The service replaces this by another text in each answer.
    html: { cspNonce: '{nonce}' },
    build: {
      outDir: output,
      emptyOutDir: true,
      manifest: true,
      // The content security policy allows no `data:` addresses.
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 1_000,
      // The directive is for servers that render React, which this application does not have.
      rolldownOptions: { checks: { moduleLevelDirective: false } },
    },
  });
}
