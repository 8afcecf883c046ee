import { defineErrors } from '../../kernel/errors.js';

export const agentsErrors = defineErrors({
  agentNotFound: {
    status: 404,
    code: 'AGENT_NOT_FOUND',
    message: 'The app has no such agent. The list of agents under its path in the administration has the ids.',
  },
  versionNotFound: {
    status: 404,
    code: 'AGENT_VERSION_NOT_FOUND',
    message:
      'The agent has no such version. Its list of versions has the numbers. Leave the version out to get the latest one.',
  },
  agentActive: {
    status: 409,
    code: 'AGENT_ACTIVE',
    message:
      'The agent is active in {environments}. Activate another agent there, or deactivate this one, before you delete it.',
    example: { values: { environments: 'production' } },
  },
  nothingToRollBackTo: {
    status: 409,
    code: 'NOTHING_TO_ROLL_BACK_TO',
    message: 'Nothing was active in this environment before. Activate a version of an agent instead.',
  },
  noActiveDeployment: {
    status: 409,
    code: 'NO_ACTIVE_DEPLOYMENT',
    message:
      'No agent is active in this environment. Activate one there, or choose an environment that has an active agent.',
  },
  queueFull: {
    status: 429,
    code: 'QUEUE_FULL',
    message: 'More than {limit} messages wait in this session. Wait for answers before you send more.',
    retryAfter: 5,
    example: { values: { limit: 100 } },
  },
  runNotFound: {
    status: 404,
    code: 'AGENT_RUN_NOT_FOUND',
    message: 'There is no such run in this environment. POST to the environment’s runs starts one.',
  },
  authProfileNotFound: {
    status: 404,
    code: 'AUTH_PROFILE_NOT_FOUND',
    message: 'The app has no such authorization profile. The list of the app’s auth-profiles has the ids.',
  },
  duplicateAuthProfileName: {
    status: 409,
    code: 'DUPLICATE_AUTH_PROFILE_NAME',
    message: 'The app already has an authorization profile with this idpName. Change that one, or choose another name.',
    unique: 'auth_profile_name',
  },
  signInNotFound: {
    status: 404,
    code: 'SIGN_IN_NOT_FOUND',
    message: 'This sign-in has ended, or never existed. Create the session again, and open the address in the answer.',
  },
  signInFormRefused: {
    status: 403,
    code: 'SIGN_IN_FORM_REFUSED',
    message:
      'This form was not sent by its page in this browser. Allow cookies, and open the address from your conversation again.',
  },
  signInCodeWrong: {
    status: 403,
    code: 'SIGN_IN_CODE_WRONG',
    message: 'This is not the code that the conversation shows. Read it there again. Attempts that are left: {left}.',
    example: { values: { left: 4 } },
  },
  signInTriesUsed: {
    status: 403,
    code: 'SIGN_IN_TRIES_USED',
    message:
      'Too many wrong codes were typed, so this sign-in has ended. Create the session again to get another address and code.',
  },
  signInOtherBrowser: {
    status: 403,
    code: 'SIGN_IN_OTHER_BROWSER',
    message:
      'This sign-in did not begin in this browser, so it has ended. Create the session again, and use one browser that allows cookies.',
  },
  signInOtherIssuer: {
    status: 403,
    code: 'SIGN_IN_OTHER_ISSUER',
    message:
      'A provider other than {idp} sent the user back, so this sign-in has ended. Check the profile’s issuer, then create the session again.',
    example: { values: { idp: 'Company login' } },
  },
  signInRefused: {
    status: 400,
    code: 'SIGN_IN_REFUSED',
    message: 'The sign-in at {idp} was not completed. Create the session again to get another address.',
    example: { values: { idp: 'Company login' } },
  },
  signInFailed: {
    status: 502,
    code: 'SIGN_IN_FAILED',
    message:
      'The provider {idp} returned no tokens for the sign-in. Check the profile’s tokenUrl, client and secret, then sign in again.',
    example: { values: { idp: 'Company login' } },
  },
});
