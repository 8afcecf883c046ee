import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { hasEnded, SignedLinks } from '../../platform/links/signed-links.js';
import { filesErrors } from './files.errors.js';

/** Signs and checks links to files. A link works without a key until it expires. */
@Injectable()
export class FileLinks {
  constructor(private readonly links: SignedLinks) {}

  /** Returns a new link, which is valid from now on. */
  to(fileId: Id<'file'>): string {
    return this.links.to(pathOf(fileId));
  }

  /** Returns a link that is valid until a moment of the caller's choice. */
  until(moment: Date, fileId: Id<'file'>): string {
    return this.links.to(pathOf(fileId), Math.floor(moment.getTime() / 1000));
  }

  /** Returns the link that was valid from the moment on, or a new one if that link has expired. */
  since(moment: Date, fileId: Id<'file'>): string {
    const end = this.links.endFrom(moment);
    return hasEnded(end) ? this.to(fileId) : this.links.to(pathOf(fileId), end);
  }

  check(fileId: Id<'file'>, expires: number, signature: string): void {
    const fault = this.links.faultOf(pathOf(fileId), expires, signature);
    if (fault === 'forged') throw filesErrors.linkInvalid({ fileId });
    if (fault === 'expired') throw filesErrors.linkExpired({ fileId });
  }
}

function pathOf(fileId: Id<'file'>): string {
  return `/api/public/files/content/${fileId}`;
}
