/** The name of OpenID Connect among the identities of administrators. */
export const OIDC = 'oidc';
