import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { Administrator } from '../../../platform/auth/callers.js';
import { data } from '../../../platform/route/answer.js';
import { PathId } from '../../../platform/route/path-id.js';
import { AdminRoute } from '../../../platform/route/route.js';
import { ChangeSessionSettings, SessionSettingsView } from './session-settings.admin.schema.js';
import { SessionSettingsService } from './session-settings.service.js';

@ApiTags('Administration: sessions')
@Controller()
export class SessionSettingsAdminController {
  constructor(private readonly settings: SessionSettingsService) {}

  @AdminRoute('GET /apps/{appId}/session-settings', {
    summary: 'Read which files the sessions of an app accept',
    returns: data(SessionSettingsView),
  })
  async read(@PathId('app') appId: Id<'app'>) {
    return this.settings.read(appId);
  }

  @AdminRoute('PATCH /apps/{appId}/session-settings', {
    summary: 'Change which files the sessions of an app accept',
    description: 'Members that are left out do not change. Files that are already attached stay attached.',
    returns: data(SessionSettingsView),
  })
  async change(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @Body({ schema: ChangeSessionSettings }) changes: ChangeSessionSettings,
  ) {
    return this.settings.change(actor, appId, changes);
  }
}
