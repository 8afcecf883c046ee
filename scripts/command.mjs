import { spawn } from 'node:child_process';
import { StartError } from './start-error.mjs';

/**
 * @typedef {object} CommandOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {number} [uid]
 * @property {number} [gid]
 * @property {string} [input] written to the command's standard input
 * @property {string} [failure] the message for the reader if the command fails
 */

/**
 * Runs a command. Its output is shown only if it fails.
 * @param {string} command
 * @param {string[]} args
 * @param {CommandOptions} [options]
 * @returns {Promise<string>} the command's output
 */
export function runQuietly(command, args, { input, failure, ...options } = {}) {
  const what = failure ?? `${command} failed`;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: 'pipe' });
    /** @type {Buffer[]} */
    const said = [];
    const listen = (/** @type {Buffer} */ chunk) => said.push(chunk);
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    // A command that ends early closes its input, and writing to it fails. Its exit code has the reason.
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
    const abandon = () => child.kill();
    process.once('exit', abandon);
    child.once('close', () => process.off('exit', abandon));
    child.on('error', (error) => reject(new StartError(`${what}: ${error.message}`)));
    child.on('close', (code, signal) => {
      const output = Buffer.concat(said).toString().trimEnd();
      if (code === 0) resolve(output);
      else reject(new StartError(`${what} (${signal ?? `exit code ${code}`}):\n${indent(output)}`));
    });
  });
}

/** @param {string} text */
function indent(text) {
  return text.replaceAll(/^/gm, '  ');
}
