import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { hasEnded, SignedLinks } from '../../platform/links/signed-links.js';
import { filesErrors } from './files.errors.js';

/** Links that open one file for a while, for whoever holds them. */
@Injectable()
export class FileLinks {
  constructor(private readonly links: SignedLinks) {}

  /** Good for a while from now on. */
  to(fileId: Id<'file'>): string {
    return this.links.to(pathOf(fileId));
  }

  /** The one that was good from that moment on; a fresh one, where that has ended. */
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
