import { afterAll } from "vitest";

const pending: (() => unknown)[] = [];

/** Runs a function at the end of the test file. Unlike `afterAll`, it can be called from tests and hooks. */
export function atEnd(cleanUp: () => unknown): void {
  pending.push(cleanUp);
}

/**
 * Registers the clean-up of a test file. Files share modules, so an `afterAll` at the top of a helper would run only
 * once.
 */
export function cleanUpAtEnd(): void {
  afterAll(async () => {
    for (const cleanUp of pending.splice(0).reverse()) await cleanUp();
  });
}
