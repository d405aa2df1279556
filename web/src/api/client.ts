// Typed requests over the generated types of the OpenAPI document.

import type { components, paths } from './schema';

export type Schemas = components['schemas'];

type Json<R> = R extends { content: { 'application/json': infer T } } ? T : never;

/** What a GET of a path answers. */
export type Answer<P extends keyof paths> = paths[P] extends { get: { responses: { 200: infer R } } } ? Json<R> : never;

/** The paths that answer a GET with JSON. */
export type GetPath = { [P in keyof paths]: [Answer<P>] extends [never] ? never : P }[keyof paths];

/** The query of a GET. */
export type Query<P extends GetPath> = paths[P] extends { get: { parameters: { query: infer Q } } }
  ? Q
  : paths[P] extends { get: { parameters: { query?: infer Q } } }
    ? [NonNullable<Q>] extends [never]
      ? Record<string, never>
      : NonNullable<Q>
    : never;

/** The paths that take a POST of JSON, and what they take and answer. */
export type PostPath = { [P in keyof paths]: [Body<P>] extends [never] ? never : P }[keyof paths];
export type Body<P extends keyof paths> = paths[P] extends { post: { requestBody: { content: { 'application/json': infer B } } } }
  ? B
  : never;
export type Posted<P extends keyof paths> = paths[P] extends { post: { responses: { 200: infer R } } } ? Json<R> : never;

/** How far the server is with an answer that takes a while. */
export type Progress = Schemas['Working'];

export interface Options {
  signal?: AbortSignal | undefined;
  /** Called each time the server says that it is still working. */
  onWorking?: ((progress: Progress) => void) | undefined;
  /** The token of the judging API. */
  token?: string | undefined;
}

/** Links of a page that a ranking has at most. */
export const MOST_LINKS = 10_000;

/** An answer that is an error, with what can be done about it. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly advice: string | null;
  readonly similar: string[];

  constructor(problem: Partial<Schemas['Problem']> & { status: number }) {
    super(problem.detail ?? problem.title ?? `the server answered ${problem.status}`);
    this.status = problem.status;
    this.advice = problem.advice ?? null;
    this.similar = problem.similar ?? [];
  }
}

/** Whether an error only says that a request was abandoned. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** The address of a GET, for links and downloads. */
export function address<P extends keyof paths>(path: P, query: Record<string, unknown> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}

/** Gets an answer; waits while the server says that it is still working. */
export async function get<P extends GetPath>(path: P, query: Query<P>, options: Options = {}): Promise<Answer<P>> {
  for (;;) {
    const response = await request(address(path, query as Record<string, unknown>), {}, options);
    if (response.status !== 202) return (await response.json()) as Answer<P>;
    options.onWorking?.((await response.json()) as Progress);
    await pause(1000, options.signal);
  }
}

/** Posts JSON. */
export async function post<P extends PostPath>(
  path: P,
  body: Body<P>,
  options: Options = {},
): Promise<Posted<P>> {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const response = await request(path, init, options);
  return (await response.json()) as Posted<P>;
}

/** Sends a request; an answer that is not one is an error that says why. */
export async function request(url: string, init: RequestInit = {}, { signal, token }: Options = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  // Only requests with this header may start work.
  headers.set('X-Requested-With', 'llamafur');
  if (token) headers.set('Authorization', `Bearer ${token}`);
  let response: Response;
  try {
    response = await fetch(url, { ...init, headers, signal: signal ?? null });
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError({
      status: 0,
      detail: 'The server does not answer.',
      advice: 'Check that llamafur serve is still running, then load the page again.',
    });
  }
  if (response.ok) return response;
  throw new ApiError({ ...(await problem(response)), status: response.status });
}

async function problem(response: Response): Promise<Partial<Schemas['Problem']>> {
  try {
    return (await response.json()) as Schemas['Problem'];
  } catch {
    return { title: response.statusText };
  }
}

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abandon = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abandon);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abandon, { once: true });
  });
}
