import { exampleId } from '../../kernel/ids.js';
import { type DefinedError, defineErrors, SlipwayError } from '../../kernel/errors.js';

export const dockErrors = defineErrors({
  dockJobNotFound: {
    status: 404,
    code: 'DOCK_JOB_NOT_FOUND',
    message:
      'The project has no such dock job. Send the dockStatusId that the operation answered. Dock jobs are deleted some months after their end; start the operation again.',
  },
  jobInProgress: {
    status: 409,
    code: 'JOB_IN_PROGRESS',
    message:
      'The dock job {dockStatusId} ({action}) runs for the same model or tool. Wait until GET /api/public/dock-status/{dockStatusId} says that it has ended.',
    example: { values: { dockStatusId: exampleId('dockJob'), action: 'IMPORT' } },
  },
  dockJobEnded: {
    status: 409,
    code: 'DOCK_JOB_ENDED',
    message: 'This dock job has ended, so there is nothing to cancel. Start the operation again if it failed.',
  },
  exportNotReady: {
    status: 409,
    code: 'EXPORT_NOT_READY',
    message: 'The export is not ready yet. Wait until GET /api/public/dock-status/{dockStatusId} says SUCCESS.',
    example: { values: { dockStatusId: exampleId('dockJob') } },
  },
  exportFailed: {
    status: 409,
    code: 'EXPORT_FAILED',
    message: 'The export failed, so there is nothing to download. GET /api/public/dock-status/{dockStatusId} says why.',
    example: { values: { dockStatusId: exampleId('dockJob') } },
  },
  exportLinkInvalid: {
    status: 403,
    code: 'EXPORT_LINK_INVALID',
    message:
      'This link was not made by this service, was changed, or has expired. GET /api/public/dock-status/{dockStatusId} answers a new one.',
    example: { values: { dockStatusId: exampleId('dockJob') } },
  },
});

/** Makes the error for a target that is not deployed. Tools and models have their own codes, but the same message. */
export function nothingToUndeploy({ spec }: DefinedError): SlipwayError {
  return new SlipwayError(spec, 'This is not deployed, so there is nothing to undeploy. Deploy it first.');
}
