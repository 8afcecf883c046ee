import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Certificate {
  /** In PEM. A client that trusts this text trusts the server. */
  readonly text: string;
  readonly file: string;
  readonly keyFile: string;
}

/** Makes a certificate that signs itself, of a server that is reached by this name or address alone. */
export function makeCertificate(folder: string, of: { dns: string } | { ip: string }): Certificate {
  const [file, keyFile] = [join(folder, 'slipway.crt'), join(folder, 'slipway.key')];
  const name = 'dns' in of ? `DNS:${of.dns}` : `IP:${of.ip}`;
  const subject = ['-subj', '/CN=slipway', '-addext', `subjectAltName=${name}`];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', keyFile, '-out', file], { stdio: 'ignore' });
  return { text: readFileSync(file, 'utf8'), file, keyFile };
}
