// The rows of the table of the HTTP API, from its OpenAPI 3.1 document.

interface Schema {
  $ref?: string;
  description?: string;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
}

interface Parameter {
  name: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

interface Operation {
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

export interface Document {
  info: { version: string };
  paths: Record<string, Partial<Record<'get' | 'post', Operation>>>;
  components: { schemas: Record<string, Schema> };
}

export interface Route {
  id: string;
  method: string;
  path: string;
  operation: Operation;
  /** Those of the address, or the fields of the body. */
  parameters: Parameter[];
}

/** All routes, in the order of the document. */
export function routesOf(document: Document): Route[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      id: `${method}${path.replaceAll(/[^a-z0-9]+/giu, '-')}`,
      method: method.toUpperCase(),
      path,
      operation,
      parameters: [...(operation.parameters ?? []), ...fieldsOf(operation, document)],
    })),
  );
}

/** The fields of the body that a route takes. */
function fieldsOf({ requestBody }: Operation, { components }: Document): Parameter[] {
  return Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => {
    const { properties, required } = components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
    return Object.entries(properties ?? {}).map(([name, field]) => ({
      name,
      required: required?.includes(name) ?? false,
      description: field.description ?? '',
      schema: field,
    }));
  });
}
