import { AsyncLocalStorage } from 'node:async_hooks';
import { addAbortSignal } from 'node:stream';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import multer, { MulterError, type StorageEngine } from 'multer';
import type { SlipwayError } from '../../kernel/errors.js';
import { currentRequest } from '../context/request-context.js';
import { validationError } from '../route/validation.js';
import { type ObjectName, StoredObjects } from '../storage/stored-objects.js';
import { Intake } from './intake.js';
import { ReceivedFile } from './received-file.js';
import { transferErrors } from './transfer.errors.js';

/** The limit for the file of a form, and whether to compute its digest, which takes time. */
export interface FileOptions {
  maxBytes: number;
  tooLarge: () => SlipwayError;
  isDigested: boolean;
  /** The object for the file, if it is already announced. */
  object?: ObjectName;
}

/** The fields by name, and the file if there is one. */
export type ReceivedForm = Record<string, unknown> & { file?: ReceivedFile };

const FILE = 'file';
/** The room for everything but the file: boundaries, headers and the other fields. */
const AROUND_BYTES = 64 * 1024;
const FORM_LIMITS = {
  parts: 20,
  fields: 20,
  fieldSize: 4096,
  fieldNameSize: 100,
  headerPairs: 50,
  fieldNestingDepth: 0,
};

/** Reads forms with fields and one file, which is written to the storage as it arrives. */
@Injectable()
export class Forms {
  constructor(private readonly objects: StoredObjects) {}

  async receive(request: Request, response: Response, options: FileOptions): Promise<ReceivedForm> {
    let isWritten = false;
    try {
      return await this.read(request, response, options, () => (isWritten = true));
    } finally {
      if (options.object && !isWritten) await this.objects.withdraw(options.object);
    }
  }

  private async read(
    request: Request,
    response: Response,
    options: FileOptions,
    onFile: () => void,
  ): Promise<ReceivedForm> {
    if (Number(request.headers['content-length'] ?? 0) > options.maxBytes + AROUND_BYTES) throw options.tooLarge();
    // The pieces of a body arrive outside the context of their request.
    const inRequest = AsyncLocalStorage.snapshot();
    const failure = Promise.withResolvers<never>();
    let storing: Promise<ReceivedFile> | undefined;
    const engine: StorageEngine = {
      _handleFile: (_request, part, done) => {
        onFile();
        storing = inRequest(() => this.store(part, response, options));
        // The failure is reported at once, because multer would first read the rest of the body, however long it is.
        storing.catch(failure.reject);
        storing.then(() => done(null, {}), done);
      },
      // The file is removed when the request ends, as everything that is not kept.
      _removeFile: (_request, _part, done) => done(null),
    };
    const read = multer({ storage: engine, limits: FORM_LIMITS, defParamCharset: 'utf8' }).single(FILE);
    const whole = promisify(read)(request, response).then(() => undefined, toRefusal);
    const fields = async () => {
      const refusal = await whole;
      // If the file failed, multer's own error is not the reason.
      const file = await storing;
      if (refusal) throw refusal;
      return { ...(request.body as object), ...(file && { file }) };
    };
    return Promise.race([fields(), failure.promise]);
  }

  private async store(
    { originalname, stream }: Express.Multer.File,
    response: Response,
    { maxBytes, tooLarge, isDigested, object: announced }: FileOptions,
  ): Promise<ReceivedFile> {
    addAbortSignal(currentRequest()!.signal, stream);
    const intake = new Intake(stream, maxBytes, tooLarge, isDigested);
    const object = await this.objects.write(intake, announced);
    const discard = () => void this.objects.discard(object);
    if (response.closed) discard();
    else response.once('close', discard);
    return new ReceivedFile(originalname, intake.size, intake.digest(), object, intake.head());
  }
}

/** Everything that multer and its parser reject is a fault of the form. */
function toRefusal(fault: unknown): SlipwayError {
  if (fault instanceof MulterError) return validationError([{ path: [fault.field ?? ''], message: messageOf(fault) }]);
  return transferErrors.malformedForm({ cause: fault });
}

const MESSAGES: Record<string, string> = {
  LIMIT_UNEXPECTED_FILE: `is one file too many; send one file, as the field ${FILE}`,
  LIMIT_PART_COUNT: 'is one field too many',
  LIMIT_FIELD_COUNT: 'is one field too many',
  LIMIT_FIELD_KEY: 'has a name that is too long',
  LIMIT_FIELD_VALUE: 'is too long',
};

function messageOf({ code }: MulterError): string {
  return MESSAGES[code] ?? 'is not a field of this form';
}
