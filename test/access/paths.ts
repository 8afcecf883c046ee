/** The paths of the specification's key and scope endpoints. */
export const ME = '/api/public/me';

const appPath = (appId: string) => `/aaa/api/public/apps/${appId}`;

export const createPath = (appId: string) => `${appPath(appId)}/apikeys/create`;
export const keyPath = (appId: string, keyId: string) => `${appPath(appId)}/apikeys/${keyId}`;
export const rotatePath = (appId: string, keyId: string) => `${keyPath(appId, keyId)}/rotate`;
export const scopePath = (appId: string, scopeId: string) => `${appPath(appId)}/scopes/${scopeId}`;

export const adminAppPath = (appId: string) => `/api/admin/v1/apps/${appId}`;
