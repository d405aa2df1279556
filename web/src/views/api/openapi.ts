// The parts of an OpenAPI 3.1 document that the page shows.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header' | 'cookie';
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
}

interface Body {
  content?: Record<string, { schema?: Schema; example?: unknown }>;
}

export interface Operation {
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: Body;
  responses?: Record<string, Body & { description?: string }>;
}

export interface Document {
  info: { title: string; version: string; description?: string };
  paths: Record<string, Partial<Record<'get' | 'post' | 'put' | 'delete', Operation> & { parameters: Parameter[] }>>;
  components?: { schemas?: Record<string, Schema> };
}

export interface Route {
  id: string;
  method: string;
  path: string;
  operation: Operation;
  parameters: Parameter[];
}

/** All routes, in the order of the document. */
export function routesOf(document: Document): Route[] {
  const methods = ['get', 'post', 'put', 'delete'] as const;
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      const id = `${method}${path.replaceAll(/[^a-z0-9]+/giu, '-')}`;
      return [{ id, method: method.toUpperCase(), path, operation, parameters }];
    }),
  );
}

/** A piece of the name of a type; a piece with `shape` leads to the shape of this name. */
export interface Piece {
  text: string;
  shape?: string;
}

/** The type of a schema in a few words. */
export function typeOf(schema: Schema | undefined): Piece[] {
  if (schema === undefined) return [{ text: 'anything' }];
  if (schema.$ref !== undefined) {
    const shape = schema.$ref.split('/').at(-1) ?? '';
    return [{ text: shape, shape }];
  }
  const choices = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (choices !== undefined) return joined(choices.map(typeOf), schema.allOf === undefined ? ' or ' : ' and ');
  if (schema.const !== undefined) return [{ text: JSON.stringify(schema.const) }];
  if (schema.enum !== undefined) return [{ text: schema.enum.map((value) => JSON.stringify(value)).join(' or ') }];
  const types = [schema.type ?? (schema.properties === undefined ? 'anything' : 'object')].flat();
  return joined(types.map((type) => simple(type, schema)), ' or ');
}

function simple(type: string, schema: Schema): Piece[] {
  if (type === 'array') return [{ text: 'list of ' }, ...typeOf(schema.items)];
  if (type === 'object' && typeof schema.additionalProperties === 'object') {
    return [{ text: 'object of ' }, ...typeOf(schema.additionalProperties)];
  }
  return [{ text: type }];
}

function joined(parts: Piece[][], between: string): Piece[] {
  return parts.flatMap((part, place) => (place === 0 ? part : [{ text: between }, ...part]));
}

/** The range of a number, or nothing. */
export function rangeOf(schema: Schema | undefined): string {
  if (schema?.minimum !== undefined && schema.maximum !== undefined) return `${schema.minimum} to ${schema.maximum}`;
  if (schema?.minimum !== undefined) return `at least ${schema.minimum}`;
  if (schema?.maximum !== undefined) return `at most ${schema.maximum}`;
  return schema?.maxLength === undefined ? '' : `at most ${schema.maxLength} characters`;
}

/** A field of a shape. */
export interface Field {
  name: string;
  schema: Schema;
  isRequired: boolean;
}

/** The fields of a shape, those of its parts included. */
export function fieldsOf(schema: Schema): Field[] {
  const own = Object.entries(schema.properties ?? {}).map(([name, each]) => ({
    name,
    schema: each,
    isRequired: schema.required?.includes(name) ?? false,
  }));
  return [...own, ...(schema.allOf ?? []).flatMap(fieldsOf)];
}

/** The default of a parameter as text, empty where it has none. */
export function defaultOf(schema: Schema | undefined): string {
  return schema?.default === undefined || schema.default === null ? '' : String(schema.default);
}

/** An answer by its status. */
export interface Answer {
  status: string;
  description: string;
  schema: Schema | undefined;
}

/** What a route answers. */
export function answersOf(operation: Operation): Answer[] {
  return Object.entries(operation.responses ?? {}).map(([status, { description, content }]) => ({
    status,
    description: description ?? '',
    schema: Object.values(content ?? {})[0]?.schema,
  }));
}
