import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { SignedLinks } from '../../platform/links/signed-links.js';
import { dockErrors } from './dock.errors.js';

/** Signs and checks links to exports. A link works without a key until it expires. */
@Injectable()
export class DockLinks {
  constructor(private readonly links: SignedLinks) {}

  to(dockStatusId: Id<'dockJob'>): string {
    return this.links.to(pathOf(dockStatusId));
  }

  check(dockStatusId: Id<'dockJob'>, expires: number, signature: string): void {
    if (this.links.faultOf(pathOf(dockStatusId), expires, signature)) {
      throw dockErrors.exportLinkInvalid({ dockStatusId });
    }
  }
}

function pathOf(dockStatusId: Id<'dockJob'>): string {
  return `/api/public/dock-status/${dockStatusId}/content`;
}
