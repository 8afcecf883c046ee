import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyActor } from '../../../kernel/actor.js';
import { type Id, toId } from '../../../kernel/ids.js';
import { CallingKey } from '../../../platform/auth/callers.js';
import { plain } from '../../../platform/route/answer.js';
import { PathId, PathName } from '../../../platform/route/path-id.js';
import { Route } from '../../../platform/route/route.js';
import { ENVIRONMENT_IN_PATH } from '../../tenancy/app.entity.js';
import { filesErrors } from '../../files/files.errors.js';
import { tenancyErrors } from '../../tenancy/tenancy.errors.js';
import { AttachFile, AttachmentList, toAttachmentList } from './attachments.schema.js';
import { AttachmentsService } from './attachments.service.js';
import { sessionsErrors } from '../sessions.errors.js';

@ApiTags('Sessions')
@Controller()
export class AttachmentsController {
  constructor(private readonly attachments: AttachmentsService) {}

  @Route('POST /api/v2/apps/{appId}/environments/{envName}/sessions/{sessionId}/attachments', {
    access: 'DOCUMENT_UPLOAD',
    summary: 'Attach an uploaded file to a session',
    description: 'Messages of the session can then name the file. Attaching a file again changes nothing.',
    returns: plain(AttachmentList),
    errors: [
      tenancyErrors.environmentNotFound,
      filesErrors.fileNotFound,
      sessionsErrors.sessionNotFound,
      sessionsErrors.sessionTerminated,
      sessionsErrors.attachmentRejected,
    ],
  })
  async attach(
    @CallingKey() actor: KeyActor,
    @PathId('app') appId: Id<'app'>,
    @PathName('envName', ENVIRONMENT_IN_PATH) envName: string,
    @PathId('session') sessionId: Id<'session'>,
    @Body({ schema: AttachFile }) { fileId }: AttachFile,
  ) {
    const all = await this.attachments.attach(actor, appId, envName, sessionId, toId('file', fileId));
    return toAttachmentList(sessionId, all);
  }
}
