import { expect } from "vitest";

/** Expects of a value what it will be before long, however busy the machine is. */
export const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 20_000, interval: 10 });
