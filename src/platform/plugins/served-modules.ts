// Node 20 lacks the functions below, and has to come as far as the sentence about its version.
import module from 'node:module';

/**
 * Makes imports of these files get this code, in this thread. The files stay where they are, so their
 * `import.meta.url` and the packages that they import are those of the repository.
 */
export function serveModules(code: ReadonlyMap<string, string>): void {
  module.setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
  module.registerHooks({
    resolve(specifier, context, next) {
      const { parentURL = '' } = context;
      if (!code.has(parentURL)) return next(specifier, context);
      // A plugin needs the Slipway that runs it, and another copy would know nothing of what it defines.
      if (/^slipway(\/|$)/.test(specifier)) return next(specifier, { ...context, parentURL: import.meta.url });
      const source = specifier.startsWith('.') && sourceOf(new URL(specifier, parentURL).href);
      return source && code.has(source) ? { url: source, shortCircuit: true } : next(specifier, context);
    },
    load(url, context, next) {
      const source = code.get(url);
      return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true };
    },
  });
}

/** TypeScript imports `./knowledge.module.js`, which is the name that the compiled file would have. */
function sourceOf(url: string): string {
  return url.replace(/js$/, 'ts');
}
