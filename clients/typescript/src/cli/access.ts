import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { addressIn } from '../given.js';
import { Slipway } from '../slipway.js';
import { UsageError, type Environment } from './command.js';

export interface Login {
  url: string;
  apiKey: string;
}

/** Where the service is and which keys are used: those of the environment, or else of the login. */
export class Access {
  /** The file of the login. Only its owner can read it. */
  readonly file: string;

  constructor(private readonly env: Environment) {
    const config = env.XDG_CONFIG_HOME || join(homedir(), '.config');
    this.file = join(config, 'slipway', 'credentials.json');
  }

  async slipway(urlOption: string | undefined): Promise<Slipway> {
    const login = await this.read();
    const given = (urlOption ?? this.env.SLIPWAY_URL) || login?.url;
    if (!given) throw new UsageError('No address is known. Run slipway login, or set SLIPWAY_URL and SLIPWAY_API_KEY.');
    const url = addressIn(given);
    const adminKey = this.env.SLIPWAY_ADMIN_KEY || undefined;
    // The key of the login must not reach another address than the one that it was given for.
    const apiKey = this.env.SLIPWAY_API_KEY || (login?.url === url ? login.apiKey : undefined);
    if (!apiKey && !adminKey)
      throw new UsageError(`No key for ${url} is known. Run slipway login, or set SLIPWAY_API_KEY.`);
    return new Slipway({ url, apiKey, adminKey });
  }

  /** Replaces the file as a whole, so that an interruption leaves the earlier login or the new one. */
  async write({ url, apiKey }: Login): Promise<void> {
    const folder = dirname(this.file);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const part = `${this.file}.${process.pid}`;
    await writeFile(part, `${JSON.stringify({ url: addressIn(url), apiKey: apiKey.trim() }, null, 2)}\n`, {
      mode: 0o600,
    });
    await chmod(part, 0o600);
    await rename(part, this.file);
  }

  async forget(): Promise<void> {
    await rm(this.file, { force: true });
  }

  private async read(): Promise<Login | undefined> {
    const text = await readFile(this.file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as Login;
    } catch {
      throw new UsageError(`${this.file} is damaged. Run slipway login again.`);
    }
  }
}
