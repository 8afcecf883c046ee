import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { SignInProfiles } from '../../mcp-connections/mcp-connections.port.js';
import { AuthProfileRepository } from './auth-profile.repository.js';

/** Tells the module of MCP connections which authorization profiles the apps of a project have. */
@Injectable()
export class ProfilesOfProjects extends SignInProfiles {
  constructor(private readonly profiles: AuthProfileRepository) {
    super();
  }

  has(projectId: Id<'project'>, idpName: string): Promise<boolean> {
    return this.profiles.isInProject(projectId, idpName);
  }
}
