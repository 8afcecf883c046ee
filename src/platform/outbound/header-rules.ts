/** The characters that HTTP allows in the name and the value of a header. */
export const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
export const HEADER_VALUE = /^[\t\x20-\x7e\u0080-\u00ff]*$/;
/** The names of cookies that need no quotation marks and mean nothing in a template. */
export const COOKIE_NAME = /^[\w.-]+$/;
/** Matches a media type, perhaps with parameters. */
export const MEDIA_TYPE = /^[\w.+-]+\/[\w.+*-]+([ \t]*;[\x20-\x7e]*)?$/;
