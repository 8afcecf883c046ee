import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { SYSTEM } from '../../../kernel/actor.js';
import { clock } from '../../../kernel/clock.js';
import { type Id, toId } from '../../../kernel/ids.js';
import { findJsonFaults } from '../../../kernel/json-rules.js';
import { Database } from '../../../platform/database/database.js';
import { readBody } from '../../../platform/http/body.js';
import type { BodyFormat, BodyReceiver } from '../../../platform/route/body-format.js';
import { httpErrors } from '../../../platform/route/http.errors.js';
import { validationError } from '../../../platform/route/validation.js';
import type { SuspensionRow } from './suspension.entity.js';
import { SuspensionRepository } from './suspension.repository.js';
import { isSignedBy, Suspensions } from './suspensions.js';
import { ToolRunRepository } from '../runs/tool-run.repository.js';
import { SuspendedRuns } from '../runs/suspended-runs.js';
import { toolsErrors } from '../tools.errors.js';

/** A callback whose signature has been verified. */
export interface SignedCallback {
  suspension: SuspensionRow;
  payload: unknown;
}

const MAX_BYTES = 1024 * 1024;
/** The body in any format, because the signature is over its bytes. */
const RAW: BodyFormat = {
  mediaType: 'application/json',
  maxBytes: MAX_BYTES,
  matches: () => true,
  parse: (bytes) => bytes,
};

/** Receives a callback. Its credential is its signature, which is over the bytes as they were sent. */
@Injectable()
export class CallbackReceiver implements BodyReceiver {
  constructor(private readonly suspensions: Suspensions) {}

  async receive(request: Request): Promise<SignedCallback> {
    const suspension = await this.suspensions.find(toId('suspension', String(request.params.callbackId)));
    const bytes = ((await readBody(request, [RAW])) as Buffer | undefined) ?? Buffer.alloc(0);
    const signature = String(request.headers['x-callback-signature'] ?? '');
    if (!suspension || !isSignedBy(suspension.secret, bytes, signature)) throw toolsErrors.callbackSignatureInvalid();
    return { suspension, payload: parse(bytes) };
  }
}

/** Passes the callbacks of outside systems to the runs that wait for them. */
@Injectable()
export class CallbacksService {
  constructor(
    private readonly database: Database,
    private readonly runs: ToolRunRepository,
    private readonly suspensions: SuspensionRepository,
    private readonly suspended: SuspendedRuns,
  ) {}

  /** Stores a callback once, even if it arrives several times. It may arrive before the run waits for it. */
  receive({ suspension: { id, runId }, payload }: SignedCallback) {
    return this.database.transaction(SYSTEM, async (tx) => {
      const [runState, suspension] = await tx.askAll([this.runs.lock(runId), this.suspensions.byId(id)]);
      if (runState === null || !suspension) throw toolsErrors.callbackExpired();
      const { state, expiresAt } = suspension;
      if (state === 'received') return answer(id, 'already_processed');
      const isOver = runState === 'completed' || runState === 'failed' || (expiresAt && expiresAt <= clock.now());
      if (state === 'expired' || isOver) throw toolsErrors.callbackExpired();
      tx.defer(this.suspensions.receive(id, JSON.stringify(payload)));
      // A run that does not wait for this callback yet may be suspended by a delay, which goes on.
      if (expiresAt) await this.suspended.resume(tx, runId);
      return answer(id, 'accepted');
    });
  }
}

function answer<Status extends string>(callbackId: Id<'suspension'>, status: Status) {
  return { callbackId, status };
}

/** Parses the body. An empty body is null. */
function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) return null;
  let payload: unknown;
  try {
    payload = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw httpErrors.malformedJson({ position: '' });
  }
  const issues = findJsonFaults(payload);
  if (issues.length > 0) throw validationError(issues);
  return payload;
}
