/** The codes of a failed import, which the `error` of the model and of the dock job has. */
export type ImportFaultCode =
  | 'MODEL_FILE_INVALID'
  | 'MODEL_FILE_TRUNCATED'
  | 'MODEL_FORMAT_UNKNOWN'
  | 'MODEL_INCOMPLETE'
  | 'ADAPTER_EXPECTED'
  | 'ARCHIVE_INVALID'
  | 'ARCHIVE_PATH_NOT_ALLOWED'
  | 'ARCHIVE_LINK_NOT_ALLOWED'
  | 'ARCHIVE_TOO_LARGE'
  | 'DATASET_INVALID'
  | 'FILE_CONTENT_MISMATCH'
  | 'DATASET_EMPTY';

/** A fault of the content, which another attempt would find again. */
export class ImportFault extends Error {
  constructor(
    readonly code: ImportFaultCode,
    message: string,
  ) {
    super(message);
  }

  /** Returns the same fault with the path of the file in an archive. */
  in(path: string): ImportFault {
    return new ImportFault(this.code, `${path}: ${this.message}`);
  }
}
