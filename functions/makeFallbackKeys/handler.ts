import type { Context } from "aws-lambda";
import { makeFallbackKeys } from "../../lib/plans/make-fallback-keys.ts";
import { background, deadlineOf } from "../../lib/runtime/background.ts";
import { fallbackKeyDeps } from "../../lib/runtime/deps.ts";

const deps = fallbackKeyDeps();

/** Reserves enough time for one key, including all retries. */
const reserveMs = 60_000;

export const handler = background("makeFallbackKeys", (_: unknown, context: Context) =>
  makeFallbackKeys(deps, deadlineOf(context, reserveMs)),
);
