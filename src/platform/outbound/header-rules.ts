/** What HTTP lets a header be called, and hold. */
export const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
export const HEADER_VALUE = /^[\t\x20-\x7e\u0080-\u00ff]*$/;
