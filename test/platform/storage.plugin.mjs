// A plugin with a storage, which keeps each content on a server that speaks HTTP. With ACME_SCHEME=s3, it claims a scheme
// of Slipway.
import { Readable } from 'node:stream';
import { Storage, StorageKind, StoresContents } from 'slipway/plugin';
import { acmeConfig } from './acme.mjs';

/** @import { ByteRange, Content } from 'slipway/plugin' */

class AcmeStorage extends Storage {
  /** @param {string} address */
  constructor(address) {
    super();
    this.address = address;
  }

  /** @override */
  async location() {
    const response = await this.send('location');
    return `acme:${await response.text()}`;
  }

  /** @override */
  async check() {
    await this.send('location');
  }

  /** @override */
  freeBytes() {
    return Promise.resolve(null);
  }

  /** @override @param {string} name @param {Content} content */
  async write(name, content) {
    const body = Readable.toWeb(Readable.from(content, { objectMode: false }));
    await this.send(name, { method: 'PUT', body, duplex: 'half' });
  }

  /** @override @param {string} name @param {ByteRange} range */
  async read(name, { start, end }) {
    const { body } = await this.send(name, { headers: { range: `bytes=${start}-${end}` } });
    return Readable.fromWeb(/** @type {import('node:stream/web').ReadableStream} */ (body));
  }

  /** @override @param {string} name */
  async remove(name) {
    await this.send(name, { method: 'DELETE' });
  }

  /** @param {string} name @param {RequestInit} [request] */
  async send(name, request) {
    const response = await fetch(`${this.address}/${name}`, request);
    if (response.ok) return response;
    throw Object.assign(new Error(`Acme answered ${response.status}.`), {
      code: response.status === 507 ? 'ENOSPC' : 'EIO',
    });
  }
}

class AcmeStorages extends StorageKind {
  /** @override @param {URL} url */
  open({ host }) {
    if (host === '') throw new Error('must have a server after acme://.');
    return new AcmeStorage(`http://${host}`);
  }
}
StoresContents({ scheme: process.env.ACME_SCHEME ?? 'acme' })(AcmeStorages);

export default acmeConfig([AcmeStorages]);
