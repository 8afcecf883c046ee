/** Why a file cannot become a model or a dataset: what the job's `error` says. */
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
  | 'DATASET_EMPTY';

/** The content is to blame: trying again would say the same. */
export class ImportFault extends Error {
  constructor(
    readonly code: ImportFaultCode,
    message: string,
  ) {
    super(message);
  }

  /** The same fault, of one file of several. */
  in(path: string): ImportFault {
    return new ImportFault(this.code, `${path}: ${this.message}`);
  }
}
