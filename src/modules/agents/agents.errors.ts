import { defineErrors } from '../../kernel/errors.js';

export const agentsErrors = defineErrors({
  agentNotFound: {
    status: 404,
    code: 'AGENT_NOT_FOUND',
    message: 'The app has no such agent. Those it has are listed under its path in the administration.',
  },
  versionNotFound: {
    status: 404,
    code: 'AGENT_VERSION_NOT_FOUND',
    message: 'The agent has no such version. Its versions are listed beside it; leave the version out for the latest.',
  },
  agentActive: {
    status: 409,
    code: 'AGENT_ACTIVE',
    message: 'The agent is active in {environments}. Activate another one there, or none, before it is deleted.',
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
    message: 'No agent is active in this environment. Have one activated there, or choose an environment that has one.',
  },
  queueFull: {
    status: 429,
    code: 'QUEUE_FULL',
    message: 'More than {limit} messages wait in this session. Wait for answers before sending more.',
    retryAfter: 5,
    example: { values: { limit: 100 } },
  },
  runNotFound: {
    status: 404,
    code: 'AGENT_RUN_NOT_FOUND',
    message: 'There is no such run in this environment. POST on runs of the environment starts one.',
  },
  authProfileNotFound: {
    status: 404,
    code: 'AUTH_PROFILE_NOT_FOUND',
    message: 'The app has no such authorization profile. Those it has are listed under auth-profiles of the app.',
  },
  duplicateAuthProfileName: {
    status: 409,
    code: 'DUPLICATE_AUTH_PROFILE_NAME',
    message: 'The app has an authorization profile of this idpName already. Change that one, or choose another name.',
    unique: 'auth_profile_name',
  },
  signInNotFound: {
    status: 404,
    code: 'SIGN_IN_NOT_FOUND',
    message:
      'This sign-in is over, or never was. Create the session again, and go to the address that it answers with.',
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
    message:
      'This is not the code that the conversation shows. Read it there again; wrong codes that may still be typed: {left}.',
    example: { values: { left: 4 } },
  },
  signInTriesUsed: {
    status: 403,
    code: 'SIGN_IN_TRIES_USED',
    message:
      'Too many wrong codes were typed, so this sign-in is over. Create the session again to get another address and code.',
  },
  signInOtherBrowser: {
    status: 403,
    code: 'SIGN_IN_OTHER_BROWSER',
    message:
      'This sign-in did not begin in this browser, so it is over. Create the session again, and stay in one browser that allows cookies.',
  },
  signInOtherIssuer: {
    status: 403,
    code: 'SIGN_IN_OTHER_ISSUER',
    message:
      'Another provider than {idp} sent the user back, so this sign-in is over. Check the profile’s issuer, then create the session again.',
    example: { values: { idp: 'Company login' } },
  },
  signInRefused: {
    status: 400,
    code: 'SIGN_IN_REFUSED',
    message: 'The sign-in at {idp} was not completed. Create the session again to get another address to begin at.',
    example: { values: { idp: 'Company login' } },
  },
  signInFailed: {
    status: 502,
    code: 'SIGN_IN_FAILED',
    message:
      'The provider {idp} gave no tokens for the sign-in. Check the profile’s tokenUrl, client and secret, then sign in again.',
    example: { values: { idp: 'Company login' } },
  },
});
