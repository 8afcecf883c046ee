import { existsSync, readFileSync } from 'node:fs';

/** Resolves a path in the project's folder, which is further up from the built file than from its source. */
export function projectFile(path: string): URL {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder)) && folder.pathname !== '/') folder = new URL('..', folder);
  return new URL(path, folder);
}

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as { version: string };
  return version;
}
