import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { addressIn } from '../given.js';
import { Slipway } from '../slipway.js';
import { UsageError, type Environment } from './command.js';

export interface Login {
  url: string;
  apiKey: string;
  adminKey?: string;
}

/** The options of a command, and whether it needs an administration key. */
interface Wanted {
  url?: string | undefined;
  adminKey?: string | undefined;
  isAdminNeeded?: boolean;
}

const ADMIN_KEY_MISSING =
  'This needs an administration key. Give it with --admin-key, set SLIPWAY_ADMIN_KEY, or keep it with slipway login --admin.';

/** Where the service is and which keys are used: those of the environment, or else of the login. */
export class Access {
  /** The file of the login. Only its owner can read it. */
  readonly file: string;

  constructor(private readonly env: Environment) {
    const config = env.XDG_CONFIG_HOME || join(homedir(), '.config');
    this.file = join(config, 'slipway', 'credentials.json');
  }

  async slipway(wanted: Wanted): Promise<Slipway> {
    const login = await this.read();
    const given = (wanted.url ?? this.env.SLIPWAY_URL) || login?.url;
    if (!given) throw new UsageError('No address is known. Run slipway login, or set SLIPWAY_URL and SLIPWAY_API_KEY.');
    const url = addressIn(given);
    // The keys of the login must not reach another address than the one that they were given for.
    const kept = login?.url === url ? login : undefined;
    const apiKey = this.env.SLIPWAY_API_KEY || kept?.apiKey;
    if (!apiKey) throw new UsageError(`No API key for ${url} is known. Run slipway login, or set SLIPWAY_API_KEY.`);
    const adminKey = (wanted.adminKey ?? this.env.SLIPWAY_ADMIN_KEY) || kept?.adminKey;
    if (!adminKey && wanted.isAdminNeeded) throw new UsageError(ADMIN_KEY_MISSING);
    return new Slipway({ url, apiKey, adminKey });
  }

  /** Whether an administration key is known without an option. */
  async hasAdminKey(url: string | undefined): Promise<boolean> {
    if (this.env.SLIPWAY_ADMIN_KEY) return true;
    const login = await this.read();
    const given = (url ?? this.env.SLIPWAY_URL) || login?.url;
    return login?.adminKey !== undefined && given !== undefined && addressIn(given) === login.url;
  }

  /** Replaces the file as a whole, so that an interruption leaves the earlier login or the new one. */
  async write({ url, apiKey, adminKey }: Login): Promise<void> {
    const folder = dirname(this.file);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const part = `${this.file}.${process.pid}`;
    const login = { url: addressIn(url), apiKey: apiKey.trim(), adminKey: adminKey?.trim() };
    await writeFile(part, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
    await chmod(part, 0o600);
    await rename(part, this.file);
  }

  async forget(): Promise<void> {
    await rm(this.file, { force: true });
  }

  async read(): Promise<Login | undefined> {
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
