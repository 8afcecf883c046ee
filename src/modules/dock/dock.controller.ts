import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { CallingKey } from '../../platform/auth/callers.js';
import { currentRequest } from '../../platform/context/request-context.js';
import { LinkQuery } from '../../platform/links/link-query.js';
import { plain } from '../../platform/route/answer.js';
import { PathId } from '../../platform/route/path-id.js';
import { Route } from '../../platform/route/route.js';
import { storageErrors } from '../../platform/storage/storage.errors.js';
import { download } from '../../platform/transfer/download.js';
import { transferErrors } from '../../platform/transfer/transfer.errors.js';
import { DockEvents, dockEvents } from './dock-events.js';
import { dockErrors } from './dock.errors.js';
import { DockJobView } from './dock.schema.js';
import { Dock } from './dock.service.js';

@ApiTags('Dock status')
@Controller()
export class DockController {
  constructor(
    private readonly dock: Dock,
    private readonly events: DockEvents,
  ) {}

  @Route('GET /api/public/dock-status/{dockStatusId}', {
    access: 'anyKey',
    summary: 'Follow an import, export, deployment or undeployment',
    description:
      'Only keys of the scope that exported, and keys with `DOCK_MANAGE`, receive the link to an export. Other keys read everything else.',
    returns: plain(DockJobView),
    errors: [dockErrors.dockJobNotFound],
  })
  async read(@CallingKey() actor: KeyActor, @PathId('dockJob', 'dockStatusId') dockStatusId: Id<'dockJob'>) {
    return this.dock.viewFor(actor, await this.dock.read(actor.projectId, dockStatusId));
  }

  @Route('GET /api/public/dock-status/{dockStatusId}/events', {
    access: 'anyKey',
    summary: 'Follow a dock job as server-sent events',
    description:
      'The events are `progress`, and one `end`, after which the stream ends. Their data is the same as the answer of GET on the dock status.',
    returns: dockEvents,
    errors: [dockErrors.dockJobNotFound],
  })
  follow(@CallingKey() actor: KeyActor, @PathId('dockJob', 'dockStatusId') dockStatusId: Id<'dockJob'>) {
    return this.events.of(actor, dockStatusId, currentRequest()!.signal);
  }

  @Route('GET /api/public/dock-status/{dockStatusId}/content', {
    access: 'public',
    summary: 'Download an export by its link',
    description: 'The address is the signed `response.downloadUrl` of the dock job. The request may have a `Range`.',
    returns: download(),
    errors: [
      dockErrors.exportLinkInvalid,
      dockErrors.dockJobNotFound,
      dockErrors.exportNotReady,
      dockErrors.exportFailed,
      transferErrors.rangeNotSatisfiable,
      storageErrors.unavailable,
    ],
  })
  download(
    @PathId('dockJob', 'dockStatusId') dockStatusId: Id<'dockJob'>,
    @Query({ schema: LinkQuery }) { expires, signature }: LinkQuery,
  ) {
    return this.dock.download(dockStatusId, expires, signature);
  }
}
