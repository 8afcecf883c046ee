export const BOTS = '/api/admin/v1/projects/{projectId}/bots';
export const BOT = '/api/admin/v1/bots/{botId}';
export const CONVERSATIONS = `${BOT}/conversations` as const;
export const CONVERSATION = `${CONVERSATIONS}/{conversationId}` as const;
export const JWT_CLIENTS = '/api/admin/v1/projects/{projectId}/jwt-clients';
export const JWT_CLIENT = '/api/admin/v1/jwt-clients/{clientId}';
