/** The part of Swagger UI's plugin API that is used here. */
interface System {
  React: {
    createElement(type: unknown, props: object, ...children: unknown[]): unknown;
    useEffect(effect: () => void, inputs: unknown[]): void;
  };
  specActions: {
    updateJsonSpec(document: unknown): unknown;
    updateResolvedSubtree(path: readonly string[], value: unknown): unknown;
  };
}

interface Parameter {
  in: string;
  required?: boolean;
  schema: { example?: unknown };
}

interface ShownDocument {
  paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
}

declare const SwaggerUIBundle: { (options: object): unknown; presets: { apis: unknown } };
declare const SwaggerUIStandalonePreset: unknown;
declare const document: { querySelector(selector: string): { focus(): void } | null };

/** Runs in the browser. `/docs` sends the text of this function, so it must not use anything outside of it. */
export function startSwaggerUi(openApi: ShownDocument): void {
  const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
  const at = (path: readonly string[]) =>
    path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), openApi);

  /** Replaces references by their targets. A reference to a schema that contains it stays, because it has no end. */
  function resolved(value: unknown, within: readonly string[] = []): unknown {
    if (Array.isArray(value)) return value.map((item) => resolved(item, within));
    if (!isObject(value)) return value;
    const { $ref: reference } = value;
    if (typeof reference !== 'string') {
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(member, within)]));
    }
    if (within.includes(reference)) return value;
    const target = resolved(at(reference.slice(2).split('/')), [...within, reference]);
    return { ...(target as object), $$ref: reference };
  }

  // Filters start empty, because a list that is filtered by the example values would have no items.
  const operations = Object.values(openApi.paths).flatMap((verbs) => Object.values(verbs));
  for (const { parameters = [] } of operations) {
    for (const { in: place, required, schema } of parameters) if (place === 'query' && !required) delete schema.example;
  }

  const plugin = {
    statePlugins: {
      spec: {
        wrapActions: {
          // Swagger UI would parse the document as YAML.
          parseToJson:
            (_original: unknown, { specActions }: System) =>
            () =>
              specActions.updateJsonSpec(openApi),
          // Swagger UI would look for references to other documents, which takes seconds for each operation.
          requestResolvedSubtree:
            (_original: unknown, { specActions }: System) =>
            (path: readonly string[]) =>
              specActions.updateResolvedSubtree(path, resolved(at(path))),
        },
      },
    },
    wrapComponents: {
      // Each scheme's field asks for the focus, and the last one gets it. Most users have an API key, which is the
      // first.
      authorizationPopup: (Original: unknown, { React }: System) =>
        function AuthorizationPopup(props: object) {
          React.useEffect(() => document.querySelector('.auth-container input')?.focus(), []);
          return React.createElement(Original, props);
        },
    },
  };

  SwaggerUIBundle({
    spec: openApi,
    dom_id: '#swagger-ui',
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    plugins: [plugin],
    layout: 'StandaloneLayout',
    deepLinking: true,
    persistAuthorization: true,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    filter: true,
    docExpansion: 'none',
    // The list of schemas is hidden, because each operation shows its own.
    defaultModelsExpandDepth: -1,
  });
}
