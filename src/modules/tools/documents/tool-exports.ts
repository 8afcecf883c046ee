import { createHash } from 'node:crypto';
import type { Id } from '../../../kernel/ids.js';
import type { Downloadable } from '../../../platform/transfer/download.js';
import type { DockJob } from '../../dock/dock-job.entity.js';
import { DockExports, GivesExports } from '../../dock/dock.port.js';
import { SCHEMA_VERSION } from './documents.schema.js';
import { ToolVersionRepository } from '../definitions/tool-version.repository.js';
import type { ToolVersion } from '../definitions/tool-version.entity.js';
import { toolsErrors } from '../tools.errors.js';

/** A constant time, so that the same version always has the same bytes. */
const MADE_AT = new Date(1980, 0, 1);

/** Exports a version as a ZIP that can be imported again: the same three documents, with empty secrets. */
@GivesExports('TOOLS')
export class ToolExports extends DockExports {
  constructor(private readonly versions: ToolVersionRepository) {
    super();
  }

  async open({ targetId, data }: DockJob): Promise<Downloadable> {
    const { versionId, callflowId } = data as { versionId: Id<'toolVersion'>; callflowId: string };
    const version = await this.versions.ofTool(targetId as Id<'tool'>, versionId);
    if (!version) throw toolsErrors.toolNotFound();
    const bytes = await zipOf(documentsOf(version, callflowId));
    return {
      name: `${version.documents.tool.name}.zip`,
      mediaType: 'application/zip',
      size: bytes.length,
      tag: createHash('sha256').update(bytes).digest('hex').slice(0, 32),
      read: async ({ start, end }) => [bytes.subarray(start, end + 1)] as unknown as AsyncIterable<Buffer>,
    };
  }
}

function documentsOf({ documents }: ToolVersion, callflowId: string): Record<string, object> {
  const { tool, callflows, variables } = documents;
  return {
    'tool.json': { schemaVersion: SCHEMA_VERSION, tool },
    'flow.json': { schemaVersion: SCHEMA_VERSION, callflows: callflows.filter(({ id }) => id === callflowId) },
    'env.json': { schemaVersion: SCHEMA_VERSION, variables },
  };
}

async function zipOf(documents: Record<string, object>): Promise<Buffer> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  for (const [name, document] of Object.entries(documents)) {
    zip.addBuffer(Buffer.from(`${JSON.stringify(document, null, 2)}\n`), name, { mtime: MADE_AT, mode: 0o100644 });
  }
  zip.end();
  const pieces: Buffer[] = [];
  for await (const piece of zip.outputStream as unknown as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces);
}
