// Reads the OpenAPI document: what is referred to, examples, and what answers always tell.

/**
 * As much of OpenAPI as is read here.
 * @typedef {{ $ref?: string, example?: unknown, examples?: unknown }} Described
 * @typedef {Described & { type?: string, properties?: Record<string, Schema>, required?: string[], anyOf?: Schema[] }} Schema
 * @typedef {Described & { schema?: Schema }} Media
 * @typedef {Media & { name: string, in: string, required?: boolean, description?: string }} Parameter
 * @typedef {{ summary: string, description?: string, tags: string[], security?: object[], parameters?: Parameter[],
 *   requestBody?: { content: Record<string, Media> },
 *   responses: Record<string, { content?: Record<string, Media> }> }} Operation
 * @typedef {{ info: { description: string }, tags: { name: string, description?: string }[],
 *   paths: Record<string, Record<string, Operation>>,
 *   components: Record<string, Record<string, Described>> }} OpenApi
 */

export class Description {
  /** @param {OpenApi} document */
  constructor(document) {
    this.document = document;
    const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
      Object.entries(verbs).map(
        ([verb, operation]) => /** @type {const} */ ([`${verb.toUpperCase()} ${path}`, operation]),
      ),
    );
    /** By names as `GET /health/live`. */
    this.operations = new Map(operations);
  }

  /** @param {string} tag */
  namesUnder(tag) {
    return [...this.operations].filter(([, { tags }]) => tags[0] === tag).map(([name]) => name);
  }

  /** @param {Operation} operation */
  bodyOf({ requestBody }) {
    return requestBody && this.resolve(requestBody).content;
  }

  /**
   * Finds the texts that every answer to the operation has, and their paths.
   * @param {string} name
   */
  answerOf(name) {
    const { responses } = this.operation(name);
    const status = Object.keys(responses).find((each) => each.startsWith('2')) ?? '';
    return this.textsOf(this.resolve(responses[status] ?? {}).content?.['application/json']?.schema);
  }

  /**
   * All texts that answers of a schema always have, those inside after those outside.
   * @param {Schema | undefined} schema
   * @returns {[member: string, path: string][]}
   */
  textsOf(schema, path = 'answer') {
    if (!schema) return [];
    const { properties = {}, required = [], anyOf = [] } = this.resolve(schema);
    const there = Object.entries(properties).filter(([name]) => required.includes(name));
    return [
      ...there
        .filter(([, part]) => this.resolve(part).type === 'string')
        .map(([name]) => /** @type {[string, string]} */ ([name, `${path}.${name}`])),
      ...there.flatMap(([name, part]) => this.textsOf(part, `${path}.${name}`)),
      ...this.textsOf(anyOf[0], path),
    ];
  }

  /**
   * @param {Media | undefined} media
   * @returns {unknown}
   */
  exampleOf(media) {
    if (!media) return undefined;
    const { example, examples, schema } = media;
    if (example !== undefined) return example;
    /** @type {unknown[]} */
    const all = Object.values(examples ?? {});
    const [first] = all;
    if (first !== undefined) {
      return Array.isArray(examples) ? first : this.resolve(/** @type {{ value: unknown }} */ (first)).value;
    }
    return schema && this.exampleOf(this.resolve(schema));
  }

  /** @param {string} name */
  operation(name) {
    const operation = this.operations.get(/** @type {`${string} ${string}`} */ (name));
    if (!operation) throw new Error(`scripts/postman/journey.mjs names ${name}, which the document does not have`);
    return operation;
  }

  /**
   * @template {object} Part
   * @param {Part & { $ref?: string }} part
   * @returns {Part}
   */
  resolve(part) {
    if (!part.$ref) return part;
    const [, , kind = '', name = ''] = part.$ref.split('/');
    return this.resolve(/** @type {Part} */ (this.document.components[kind]?.[name]));
  }
}
