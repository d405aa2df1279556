// A value that is loaded again whenever what it depends on changes.

import { isAbort } from './client';

export interface Resource<T> {
  /** The value; undefined while it is loaded for the first time. */
  readonly value: T | undefined;
  /** What went wrong. */
  readonly error: unknown;
  readonly loading: boolean;
  /** Loads it again. */
  reload(): void;
}

/**
 * Loads a value in an effect: whatever reactive state `load` reads before its first `await` starts it anew, and the
 * request before is aborted. With `keep`, the old value stays until the new one is there, also after an error. `load` may return undefined:
 * there is nothing to load.
 */
export function resource<T>(
  load: (signal: AbortSignal) => Promise<T> | undefined,
  { keep = false }: { keep?: boolean } = {},
): Resource<T> {
  let value = $state.raw<T | undefined>();
  let error = $state.raw<unknown>();
  let loading = $state(true);
  let round = $state(0);

  $effect(() => {
    void round;
    const controller = new AbortController();
    const promise = load(controller.signal);
    error = undefined;
    loading = promise !== undefined;
    if (!keep || promise === undefined) value = undefined;
    promise?.then(
      (loaded) => {
        if (controller.signal.aborted) return;
        value = loaded;
        loading = false;
      },
      (reason: unknown) => {
        if (controller.signal.aborted || isAbort(reason)) return;
        error = reason;
        loading = false;
      },
    );
    return () => controller.abort();
  });

  return {
    get value() {
      return value;
    },
    get error() {
      return error;
    },
    get loading() {
      return loading;
    },
    reload: () => {
      round += 1;
    },
  };
}
