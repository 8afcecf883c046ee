import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';

/**
 * Writes a file that only its owner may read. The file is replaced as a whole, so a power cut leaves the old one.
 * @param {string} path
 * @param {string} text
 */
export function writePrivateFile(path, text) {
  const unfinished = `${path}.${process.pid}.unfinished`;
  const file = openSync(unfinished, 'w', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
}
